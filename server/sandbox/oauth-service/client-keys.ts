import { GoJsonError, goTypeOf, isObject } from '../go/json.ts';

const CURVES = ['P-256', 'P-384', 'P-521'];

/** Decodes a key set as Hydra does: each key is validated before any rule for clients. @throws GoJsonError */
export function decodedKeys(set: unknown): unknown {
  if (isObject(set) && Array.isArray(set.keys)) for (const key of set.keys) checkKey(key);
  return set;
}

function checkKey(key: unknown): void {
  if (key !== null && !isObject(key))
    throw new GoJsonError(`json: cannot unmarshal ${goTypeOf(key)} into Go value of type jose.rawJSONWebKey`);
  const problem = problemOf(key ?? {});
  if (problem !== undefined) throw new GoJsonError(`go-jose/go-jose: ${problem}`);
}

function problemOf({ kty = '', n, e, crv = '', k }: Record<string, unknown>): string | undefined {
  switch (kty) {
    case 'RSA':
      return n === undefined || e === undefined ? 'invalid RSA key, missing n/e values' : undefined;
    case 'EC':
      return CURVES.some((curve) => curve === crv) ? undefined : `unsupported elliptic curve '${crv}'`;
    case 'oct':
      return k === undefined ? 'invalid OCT (symmetric) key, missing k value' : undefined;
    case 'OKP':
      return crv === 'Ed25519' ? undefined : `unknown curve ${crv}'`;
    default:
      return `unknown json web key type '${kty}'`;
  }
}
