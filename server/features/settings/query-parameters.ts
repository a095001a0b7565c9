import type { Request } from 'express';
import { badRequest } from '../../http/api-error.ts';

/** Whether plain text is asked for. @throws 400 */
export function decryptParameter({ query }: Pick<Request, 'query'>): boolean {
  const decrypt = onceParameter(query, 'decrypt');
  if (decrypt !== undefined && decrypt !== 'true' && decrypt !== 'false')
    throw badRequest('decrypt', 'must be true or false');
  return decrypt === 'true';
}

/** @throws 400 for a repeated parameter */
export function onceParameter(query: Request['query'], name: string): string | undefined {
  const value = query[name];
  if (value !== undefined && typeof value !== 'string') throw badRequest(name, 'must be given once');
  return value;
}
