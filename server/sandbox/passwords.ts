import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';

/** Hashing is cheap, since a start computes many hashes and the sandbox's passwords protect nothing. */
const COST = { N: 1024, r: 8, p: 1 };

const derive = (password: string, salt: Buffer): Buffer => scryptSync(password.normalize('NFKC'), salt, 32, COST);

/** Kratos' scrypt notation: `$scrypt$ln=…,r=…,p=…$salt$key`. */
export function hashPassword(password: string, salt: Buffer = randomBytes(16)): string {
  const key = derive(password, salt);
  return `$scrypt$ln=${COST.N},r=${COST.r},p=${COST.p}$${salt.toString('base64')}$${key.toString('base64')}`;
}

/**
 * Accepts only the sandbox's own hashes, since imported ones may be costly. Takes the same time with and without one, so
 * that timing does not reveal who has an account.
 */
export function verifyPassword(password: string, hash = ''): boolean {
  const [, kind, cost, salt = '', key = ''] = hash.split('$');
  const derived = derive(password, Buffer.from(salt, 'base64'));
  const expected = Buffer.from(key, 'base64');
  const isOwn = kind === 'scrypt' && cost === `ln=${COST.N},r=${COST.r},p=${COST.p}`;
  return isOwn && expected.length === derived.length && timingSafeEqual(derived, expected);
}
