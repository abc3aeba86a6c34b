// The results as a code that can be pasted: PP1.BODY.CHECK, where BODY is the CSV's UTF-8, deflated (RFC 1951), in
// base64url (RFC 4648) without padding, and CHECK the CRC-32 of the CSV's bytes in eight hexadecimal digits.
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}

async function deflate(bytes) {
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (error) {
    return stored(bytes);  // an older browser
  }
}

// Deflate's own form without compression: blocks of at most 65535 bytes, each with its length and the complement.
function stored(bytes) {
  const most = 65535, blocks = Math.max(1, Math.ceil(bytes.length / most));
  const out = new Uint8Array(bytes.length + 5 * blocks);
  for (let k = 0, at = 0; k < blocks; k++) {
    const part = bytes.subarray(k * most, (k + 1) * most), n = part.length;
    out.set([k === blocks - 1 ? 1 : 0, n & 255, n >> 8, ~n & 255, (~n >> 8) & 255], at);
    out.set(part, at + 5);
    at += n + 5;
  }
  return out;
}

function base64url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function codeOf(text) {
  const bytes = new TextEncoder().encode(text);
  return "PP1." + base64url(await deflate(bytes)) + "." + crc32(bytes);
}
