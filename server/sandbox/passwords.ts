import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const COST = { N: 16_384, r: 8, p: 1 };
const KEY_BYTES = 32;

const derive = (password: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });

const encode = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Kratos' scrypt notation: `$scrypt$ln=…,r=…,p=…$salt$key`. */
export async function hashPassword(password: string, salt: Buffer = randomBytes(16)): Promise<string> {
  const key = await derive(password, salt);
  return `$scrypt$ln=${COST.N},r=${COST.r},p=${COST.p}$${encode(salt)}$${encode(key)}`;
}

/** Takes the same time with and without a hash, so that timing does not reveal who has an account. */
export async function verifyPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, , , salt = '', key = ''] = (hash ?? '').split('$');
  const derived = await derive(password, Buffer.from(salt, 'base64'));
  const expected = Buffer.from(key, 'base64');
  return expected.length === derived.length && timingSafeEqual(derived, expected);
}
