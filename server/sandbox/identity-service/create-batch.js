import { decodeJson, GoJsonError, goTypeOf, isObject } from '../go/json.js';
import { isUuid, uuidProblem } from '../go/uuid.js';
import { json } from '../http/answer.js';
import { asCreateBody, newIdentity } from './create-identity.js';
import { hasPlainPassword } from './credentials.js';
import { badDisguised, conflict, IdentityServiceError, malformed } from './identity-errors.js';
import { IdentityConflict } from './identity-store.js';

const MAX_ITEMS = 1000;
const MAX_PLAIN_PASSWORDS = 200;
/** `PATCH /admin/identities`: each item succeeds or fails for itself, in order; the answer is 200 all the same. */
export async function createBatch(text, identities, schemas, at) {
  const items = parseBatch(text);
  const passwords = items.filter(({ create }) => hasPlainPassword(create?.credentials)).length;
  if (items.length > MAX_ITEMS || passwords > MAX_PLAIN_PASSWORDS)
    throw malformed(
      `The maximum number of identities per request that can be created or deleted at once is ${passwords > MAX_PLAIN_PASSWORDS ? MAX_PLAIN_PASSWORDS : MAX_ITEMS}.`,
    );
  const results = [];
  for (const { patchId, create } of items) {
    if (create === undefined) {
      results.push(null);
      continue;
    }
    try {
      const identity = await newIdentity(create, schemas, at);
      identities.insert(identity);
      results.push({ action: 'create', identity: identity.id, patch_id: patchId });
    } catch (error) {
      const refusal = error instanceof IdentityConflict ? conflict() : error;
      if (!(refusal instanceof IdentityServiceError)) throw refusal;
      results.push({ action: 'error', patch_id: patchId, error: refusal.members });
    }
  }
  return json(200, { identities: results });
}
function parseBatch(text) {
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
function parseItem(item) {
  if (!isObject(item)) return { patchId: undefined, create: undefined };
  const { patch_id, create } = item;
  if (typeof patch_id === 'string' && !isUuid(patch_id)) throw new GoJsonError(uuidProblem(patch_id));
  return {
    patchId: typeof patch_id === 'string' ? patch_id : undefined,
    create: create === undefined || create === null ? undefined : asCreateBody(create),
  };
}
