import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

const COST = { N: 16_384, r: 8, p: 1 };
const KEY_BYTES = 32;
const derive = (password, salt) =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
const encode = (bytes) => bytes.toString('base64').replace(/=+$/, '');
/** The scrypt notation Kratos stores: `$scrypt$ln=…,r=…,p=…$salt$key`. */
export async function hashPassword(password, salt = randomBytes(16)) {
  const key = await derive(password, salt);
  return `$scrypt$ln=${COST.N},r=${COST.r},p=${COST.p}$${encode(salt)}$${encode(key)}`;
}
/** Takes the same time whether or not there is a hash, so that answers do not tell who has an account. */
export async function verifyPassword(password, hash) {
  const [, , , salt = '', key = ''] = (hash ?? '').split('$');
  const derived = await derive(password, Buffer.from(salt, 'base64'));
  const expected = Buffer.from(key, 'base64');
  return expected.length === derived.length && timingSafeEqual(derived, expected);
}
