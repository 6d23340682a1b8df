"""The certificate of a port with TLS that only this machine can reach: made by ourselves, where none is given."""

import os
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_DAYS: Final = 365
_LEFT_DAYS: Final = 30
"""One that ends sooner is made anew."""
_NAMES: Final = ("localhost", "127.0.0.1", "::1")


def certificate_for(folder: Path) -> tuple[Path, Path]:
    """The files of certificate and key for `localhost`, made there where there are none that hold for a month.

    The certificate is what a client has to trust: nobody else has signed it.
    """
    certificate, key = folder / "edge.crt", folder / "edge.tls.key"
    if not (key.exists() and _holds(certificate)):
        folder.mkdir(parents=True, exist_ok=True)
        _make(certificate, key)
    return certificate, key


def _holds(certificate: Path) -> bool:
    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (OSError, ValueError):
        return False
    return found.not_valid_after_utc > datetime.now(UTC) + timedelta(days=_LEFT_DAYS)


def _make(certificate: Path, key: Path) -> None:
    secret = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Chautari on this machine")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(
            x509.SubjectAlternativeName(
                [x509.DNSName(_NAMES[0]), *(x509.IPAddress(ip_address(address)) for address in _NAMES[1:])]
            ),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(secret, hashes.SHA256())
    )
    _write(
        key,
        secret.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    )
    _write(certificate, made.public_bytes(serialization.Encoding.PEM))


def _write(path: Path, content: bytes) -> None:
    """Puts a whole file there, which only we may read."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    draft.replace(path)
