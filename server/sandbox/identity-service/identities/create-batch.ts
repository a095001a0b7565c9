import { decodeJson, GoJsonError, goTypeOf, isObject } from '../../go/json.ts';
import { isUuid, uuidProblem } from '../../go/uuid.ts';
import { type Answer, json } from '../../http/answer.ts';
import type { IdentityDraft } from './compose-identity.ts';
import { asCreateBody, type CreateBody, draftIdentity, newIdentity } from './create-identity.ts';
import type { IdentityDocument } from './identity-document.ts';
import { badDisguised, conflict, IdentityServiceError, malformed } from './identity-errors.ts';
import type { IdentitySchemas } from './identity-schemas.ts';
import { IdentityConflict, type IdentityStore } from './identity-store.ts';
import { hasPlainPassword } from './imported-credentials.ts';

const MAX_ITEMS = 1000;
const MAX_PLAIN_PASSWORDS = 200;

interface BatchItem {
  patchId: string | undefined;
  /** If undefined, the item requests nothing and results in null. */
  create: CreateBody | undefined;
}

/**
 * `PATCH /admin/identities`: each item succeeds or fails on its own, in order; the response is 200 regardless.
 * @throws IdentityServiceError 400 for the whole batch if it contains an unknown state or hash; 409 if exactly one
 * identity is valid and that one conflicts
 */
export async function createBatch(
  text: string,
  identities: IdentityStore,
  schemas: IdentitySchemas,
  at: string,
): Promise<Answer> {
  const items = parseBatch(text);
  const passwords = items.filter(({ create }) => hasPlainPassword(create?.credentials)).length;
  const maximum = 'The maximum number of identities per request that can be created';
  if (items.length > MAX_ITEMS) throw malformed(`${maximum} or deleted at once is ${MAX_ITEMS}.`);
  if (passwords > MAX_PLAIN_PASSWORDS)
    throw malformed(`${maximum} with a plaintext password is ${MAX_PLAIN_PASSWORDS}.`);
  const drafts: (IdentityDraft | undefined)[] = [];
  for (const { create } of items) drafts.push(create && (await draftIdentity(create, at)));
  const outcomes = drafts.map((draft) => draft && refusable(() => newIdentity(draft, schemas, at)));
  const valid = outcomes.filter((outcome) => outcome !== undefined && 'made' in outcome).length;
  const results = outcomes.map((outcome, index) => {
    if (outcome === undefined) return null;
    const patch_id = items[index]?.patchId;
    const inserted = 'made' in outcome ? refusable(() => insert(identities, outcome.made)) : outcome;
    if ('made' in inserted) return { action: 'create', identity: inserted.made, patch_id };
    if ('made' in outcome && valid === 1) throw inserted.refusal;
    return { action: 'error', patch_id, error: inserted.refusal.members };
  });
  return json(200, { identities: results });
}

/** @returns the new identity's id */
function insert(identities: IdentityStore, identity: IdentityDocument): string {
  try {
    identities.insert(identity);
  } catch (error) {
    throw error instanceof IdentityConflict ? conflict() : error;
  }
  return identity.id;
}

function refusable<T>(make: () => T): { made: T } | { refusal: IdentityServiceError } {
  try {
    return { made: make() };
  } catch (error) {
    if (error instanceof IdentityServiceError) return { refusal: error };
    throw error;
  }
}

function parseBatch(text: string): BatchItem[] {
  try {
    const body = decodeJson(text);
    if (!isObject(body))
      throw new GoJsonError(
        `json: cannot unmarshal ${goTypeOf(body)} into Go value of type identity.BatchPatchIdentitiesBody`,
      );
    const { identities = [] } = body;
    if (!Array.isArray(identities))
      throw new GoJsonError(
        `json: cannot unmarshal ${goTypeOf(identities)} into Go struct field BatchPatchIdentitiesBody.identities of type []*identity.BatchIdentityPatch`,
      );
    return identities.map(parseItem);
  } catch (error) {
    throw error instanceof GoJsonError ? badDisguised(error.message) : error;
  }
}

function parseItem(item: unknown): BatchItem {
  if (!isObject(item)) return { patchId: undefined, create: undefined };
  const { patch_id, create } = item;
  if (typeof patch_id === 'string' && !isUuid(patch_id)) throw new GoJsonError(uuidProblem(patch_id));
  return {
    patchId: typeof patch_id === 'string' ? patch_id : undefined,
    create: create === undefined || create === null ? undefined : asCreateBody(create),
  };
}
