/** `node unpack.mjs FOLDER`: unpacks the browser and the libraries that a bare machine lacks. */
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";

const folder = process.argv[2];
for (const name of ["chromium", "al2023.tar", "swiftshader.tar"]) {
  const packed = new URL(`node_modules/@sparticuz/chromium/bin/${name}.br`, import.meta.url);
  await pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(`${folder}/${name}`));
}
