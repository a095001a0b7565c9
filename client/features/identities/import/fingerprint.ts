const SLICE_BYTES = 4_194_304;

/**
 * Recognizes the same file under any name, by its size and a hash of its content, read in slices. Browsers offer
 * SHA-256 only on https and localhost; elsewhere a weaker checksum is good enough.
 */
export async function fingerprintOf(file: Blob, subtle: SubtleCrypto | undefined = crypto.subtle): Promise<string> {
  const sums: string[] = [];
  for (let start = 0; start < file.size; start += SLICE_BYTES) {
    const bytes = await file.slice(start, start + SLICE_BYTES).arrayBuffer();
    sums.push(subtle === undefined ? simpleSum(new Uint8Array(bytes)) : await sha256(subtle, bytes));
  }
  const all = new TextEncoder().encode(sums.join(' '));
  return `${file.size}-${subtle === undefined ? simpleSum(all) : await sha256(subtle, all.buffer)}`;
}

async function sha256(subtle: SubtleCrypto, bytes: ArrayBuffer): Promise<string> {
  const sum = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Two 32-bit FNV-1a sums with different starting values. */
function simpleSum(bytes: Uint8Array): string {
  let first = 0x811c9dc5;
  let second = 0x9747b28c;
  for (const byte of bytes) {
    first = Math.imul(first ^ byte, 0x01000193);
    second = Math.imul(second ^ byte, 0x01000193) ^ (second >>> 15);
  }
  return `fnv-${(first >>> 0).toString(16)}-${(second >>> 0).toString(16)}`;
}
