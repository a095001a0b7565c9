/** 16 bytes of a UUID instead of its 36 characters. */
export const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

export const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
