import { queryOptions } from '@tanstack/react-query';
import { isObject, membersOf } from '../../shared/json.ts';
import { exactBody } from '../lib/exact-json.ts';
import { withMarks } from './identity-marks.ts';
import { type RequestOptions, send } from './request.ts';
import { unreadableAnswer } from './request-error.ts';
import type { PatchOperation } from './upstream-api.ts';
import { identityAdmin } from './upstream-api.ts';

/** An identity as the identity service returns it. */
export interface Identity {
  id: string;
  schema_id: string;
  state: string;
  state_changed_at?: string;
  external_id?: string;
  /** Set only when the identity service has organizations. */
  organization_id?: string | null;
  traits: Record<string, unknown>;
  metadata_public: unknown;
  metadata_admin: unknown;
  verifiable_addresses?: VerifiableAddress[];
  recovery_addresses?: { value: string; via: string }[];
  /** By type; listed even when none is set. Not validated. */
  credentials?: unknown;
  created_at: string;
  updated_at: string;
}

export interface VerifiableAddress {
  value: string;
  via: string;
  verified: boolean;
  verified_at?: string | null;
  created_at?: string;
}

/** Body of a create request; the identity service rejects unknown members. */
export interface NewIdentity {
  /** Omit for the identity service's default. */
  schema_id?: string;
  traits: unknown;
  metadata_public?: unknown;
  metadata_admin?: unknown;
  external_id?: string;
}

export const identityPath = (id: string): string => identityAdmin(`/identities/${encodeURIComponent(id)}`);

/** Reads the stored version, bypassing the cache. */
export const readIdentity = (id: string, signal?: AbortSignal): Promise<Identity> =>
  identityFrom(identityPath(id), { signal });

export const identityQuery = (id: string) =>
  queryOptions({
    queryKey: ['identity', id],
    queryFn: ({ client, signal }) => withMarks(client, readIdentity(id, signal)),
    retry: false,
    // Sharing copies members one by one, and a copy of a long number is no number.
    structuralSharing: false,
  });

/** The identity with this external id; rejects with status 404 if there is none. */
export const findByExternalId = (externalId: string): Promise<Identity> =>
  identityFrom(identityAdmin(`/identities/by/external/${encodeURIComponent(externalId)}`));

export const createIdentity = (identity: NewIdentity): Promise<Identity> =>
  identityFrom(identityAdmin('/identities'), { method: 'POST', body: identity });

/** Changes only the members named in the patch. */
export const patchIdentity = (id: string, operations: readonly PatchOperation[]): Promise<Identity> =>
  identityFrom(identityPath(id), { method: 'PATCH', body: operations });

export async function deleteIdentity(id: string): Promise<void> {
  await send(identityPath(id), { method: 'DELETE' });
}

/**
 * Responses through the proxy are not ours to trust: an unexpected one must not crash the page. Long numbers stay as
 * they were written.
 */
async function identityFrom(path: string, options: RequestOptions = {}): Promise<Identity> {
  const body = await exactBody(await send(path, options));
  const { id, traits, verifiable_addresses, recovery_addresses } = membersOf(body);
  const listOrNone = (value: unknown) => value === undefined || Array.isArray(value);
  if (typeof id === 'string' && isObject(traits) && listOrNone(verifiable_addresses) && listOrNone(recovery_addresses))
    return body as Identity;
  throw unreadableAnswer('identity service', 'an identity');
}
