import { GoJsonError } from '../go/json.js';
import { empty, json } from '../http/answer.js';
import { route } from '../http/router.js';
import { composeIdentity } from './compose-identity.js';
import { createBatch } from './create-batch.js';
import { newIdentity, parseCreateBody } from './create-identity.js';
import { withoutCredential } from './credentials.js';
import { identityAnswer } from './identity-answer.js';
import { badMessage, conflict, conflictOnCreate, malformed, notFound } from './identity-errors.js';
import { patchIdentity } from './identity-patch.js';
import { IdentityConflict } from './identity-store.js';
import { includedCredentials, listIdentities } from './list-identities.js';
import { replaceIdentity } from './replace-identity.js';
import { requiredBody } from './request-body.js';
/** `/admin/identities` and below, but for sessions. */
export function identityRoutes({ identities, schemas, publicUrl, adminUrl, timestamp }) {
  const asked = ({ params }) => {
    const identity = identities.find(params.id?.toLowerCase() ?? '');
    if (identity === undefined) throw notFound();
    return identity;
  };
  const replace = (identity) => refusingConflicts(() => identities.replace(identity), conflict);
  const one = (call, identity) =>
    json(200, identityAnswer(identity, { publicUrl, credentials: true, includeConfig: includedOne(call.query) }));
  return [
    route('GET', '/admin/identities', (call) => listIdentities(call, identities, publicUrl)),
    route('POST', '/admin/identities', async ({ body }) => {
      const input = refusingJson(() => parseCreateBody(body));
      const identity = await newIdentity(input, schemas, timestamp());
      refusingConflicts(() => identities.insert(identity), conflictOnCreate);
      const fresh = Object.keys(identity.credentials);
      const view = { publicUrl, credentials: true, fresh, adminMetadata: input.metadata_admin !== undefined };
      return json(201, identityAnswer(identity, view), { Location: `${adminUrl}/identities/${identity.id}` });
    }),
    route('PATCH', '/admin/identities', ({ body }) => createBatch(body, identities, schemas, timestamp())),
    route('GET', '/admin/identities/by/external/:externalId', (call) => {
      const identity = identities.findByExternalId(call.params.externalId ?? '');
      if (identity === undefined) throw notFound();
      return one(call, identity);
    }),
    route('GET', '/admin/identities/:id', (call) => one(call, asked(call))),
    route('PUT', '/admin/identities/:id', async (call) => {
      const body = requiredBody(call);
      const { identity, fresh } = await replaceIdentity(asked(call), body, schemas, timestamp());
      replace(identity);
      const adminMetadata = body.metadata_admin !== undefined;
      return json(200, identityAnswer(identity, { publicUrl, credentials: true, fresh, adminMetadata }));
    }),
    route('PATCH', '/admin/identities/:id', (call) => {
      const { identity, schemaUrl } = patchIdentity(asked(call), call.body, schemas, timestamp());
      replace(identity);
      const answer = identityAnswer(identity, { publicUrl, credentials: true });
      return json(200, schemaUrl === undefined ? answer : { ...answer, schema_url: schemaUrl });
    }),
    route('DELETE', '/admin/identities/:id', ({ params }) => {
      if (!identities.remove(params.id?.toLowerCase() ?? '')) throw notFound();
      return empty(204);
    }),
    route('DELETE', '/admin/identities/:id/credentials/:type', (call) => {
      const identity = asked(call);
      const credentials = withoutCredential(identity, call.params.type ?? '', call.query.get('identifier'));
      replace(composeIdentity({ ...identity, credentials }, schemas.ofIdentity(identity.schema_id), timestamp()));
      return empty(204);
    }),
  ];
}
/** As on a list, but that the message does not name the value. */
function includedOne(query) {
  try {
    return includedCredentials(query);
  } catch {
    throw malformed('Invalid value `[]` for parameter `include_credential`.');
  }
}
function refusingJson(parse) {
  try {
    return parse();
  } catch (error) {
    throw error instanceof GoJsonError ? badMessage(error.message) : error;
  }
}
function refusingConflicts(write, refusal) {
  try {
    write();
  } catch (error) {
    throw error instanceof IdentityConflict ? refusal() : error;
  }
}
