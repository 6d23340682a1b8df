"""The certificate that is made for a port that only this machine reaches."""

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from chautari.processes import certificate_for, certificates


def test_certificate_is_made_once_and_kept(tmp_path: Path) -> None:
    certificate, key = certificate_for(tmp_path / "new")
    before = certificate.read_bytes(), key.read_bytes()
    assert certificate_for(tmp_path / "new") == (certificate, key)
    assert (certificate.read_bytes(), key.read_bytes()) == before
    assert key.stat().st_mode & 0o077 == 0
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)


@pytest.mark.parametrize("spoil", ["broken", "old", "keyless"])
def test_certificate_that_does_not_hold_is_made_anew(
    tmp_path: Path, spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if spoil == "old":
        monkeypatch.setattr(certificates, "_DAYS", 20)
    certificate, key = certificate_for(tmp_path)
    monkeypatch.undo()
    before = certificate.read_bytes()
    if spoil == "broken":
        certificate.write_text("-----BEGIN CERTIFICATE-----\nx\n")
    elif spoil == "keyless":
        key.unlink()
    certificate_for(tmp_path)
    assert key.exists()
    assert certificate.read_bytes() != before
    found = x509.load_pem_x509_certificate(certificate.read_bytes())
    assert found.not_valid_after_utc > datetime.now(UTC) + timedelta(days=300)
