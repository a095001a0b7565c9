import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

interface Cost {
  N: number;
  r: number;
  p: number;
}

/** Hashing is cheap, since a start computes many hashes and the sandbox's passwords protect nothing. */
const COST: Cost = { N: 1024, r: 8, p: 1 };

/** The limit for the parameters of an imported hash; above it, every password is wrong. */
const MEMORY_MAX_BYTES = 32 * 1024 * 1024;

const KEY_BYTES = 32;

const derive = (password: string, salt: Buffer, cost: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: MEMORY_MAX_BYTES };
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });

/** Kratos' scrypt notation: `$scrypt$ln=…,r=…,p=…$salt$key`. */
export async function hashPassword(password: string, salt: Buffer = randomBytes(16)): Promise<string> {
  const key = await derive(password, salt, COST);
  return `$scrypt$ln=${COST.N},r=${COST.r},p=${COST.p}$${salt.toString('base64')}$${key.toString('base64')}`;
}

/** Takes the same time with and without a hash of the sandbox's own, so that timing does not reveal who has an account. */
export async function verifyPassword(password: string, hash = ''): Promise<boolean> {
  const [, kind, cost = '', salt = '', key = ''] = hash.split('$');
  const derived = await derive(password, Buffer.from(salt, 'base64'), costOf(cost)).catch(() => undefined);
  const expected = Buffer.from(key, 'base64');
  return (
    kind === 'scrypt' &&
    derived !== undefined &&
    expected.length === derived.length &&
    timingSafeEqual(derived, expected)
  );
}

function costOf(text: string): Cost {
  const [N, r, p] = text.split(',').map((part) => Number(part.split('=')[1]));
  return N && r && p ? { N, r, p } : COST;
}
