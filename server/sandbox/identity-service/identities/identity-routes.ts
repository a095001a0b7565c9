import { empty, json } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { type Route, route } from '../../http/router.ts';
import { composeIdentity } from './compose-identity.ts';
import { createBatch } from './create-batch.ts';
import { draftIdentity, newIdentity, parseCreateBody } from './create-identity.ts';
import { withoutCredential } from './credentials.ts';
import { identityAnswer } from './identity-answer.ts';
import type { IdentityDocument } from './identity-document.ts';
import { conflict, conflictOnCreate, malformed, notFound } from './identity-errors.ts';
import { patchIdentity } from './identity-patch.ts';
import type { IdentitySchemas } from './identity-schemas.ts';
import { IdentityConflict, type IdentityStore } from './identity-store.ts';
import { includedCredentials, listIdentities } from './list-identities.ts';
import { replaceIdentity } from './replace-identity.ts';
import { requiredBody } from './request-body.ts';

export interface IdentityRoutesOptions {
  identities: IdentityStore;
  schemas: IdentitySchemas;
  /** Base URLs of the two ports, without trailing slash. */
  publicUrl: string;
  adminUrl: string;
  /** The current time, ISO 8601. */
  timestamp: () => string;
}

/** `/admin/identities` and below, except sessions. */
export function identityRoutes({
  identities,
  schemas,
  publicUrl,
  adminUrl,
  timestamp,
}: IdentityRoutesOptions): Route[] {
  const requested = ({ params }: Call): IdentityDocument => {
    const identity = identities.find(params.id?.toLowerCase() ?? '');
    if (identity === undefined) throw notFound();
    return identity;
  };
  const replace = (identity: IdentityDocument) => refusingConflicts(() => identities.replace(identity), conflict);
  const one = (call: Call, identity: IdentityDocument) =>
    json(200, identityAnswer(identity, { publicUrl, credentials: true, includeConfig: includedOne(call.query) }));

  return [
    route('GET', '/admin/identities', (call) => listIdentities(call, identities, publicUrl)),
    route('POST', '/admin/identities', async ({ body }) => {
      const input = parseCreateBody(body);
      const at = timestamp();
      const identity = newIdentity(await draftIdentity(input, at), schemas, at);
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
    route('GET', '/admin/identities/:id', (call) => one(call, requested(call))),
    route('PUT', '/admin/identities/:id', async (call) => {
      const body = requiredBody(call);
      const { identity, fresh } = await replaceIdentity(requested(call), body, schemas, timestamp());
      replace(identity);
      const adminMetadata = body.metadata_admin !== undefined;
      return json(200, identityAnswer(identity, { publicUrl, credentials: true, fresh, adminMetadata }));
    }),
    route('PATCH', '/admin/identities/:id', (call) => {
      const { identity, schemaUrl } = patchIdentity(requested(call), call.body, schemas, timestamp());
      replace(identity);
      const answer = identityAnswer(identity, { publicUrl, credentials: true });
      return json(200, schemaUrl === undefined ? answer : { ...answer, schema_url: schemaUrl });
    }),
    route('DELETE', '/admin/identities/:id', ({ params }) => {
      if (!identities.remove(params.id?.toLowerCase() ?? '')) throw notFound();
      return empty(204);
    }),
    route('DELETE', '/admin/identities/:id/credentials/:type', (call) => {
      const identity = requested(call);
      const credentials = withoutCredential(identity, call.params.type ?? '', call.query.get('identifier'));
      replace(composeIdentity({ ...identity, credentials }, schemas.ofIdentity(identity.schema_id), timestamp()));
      return empty(204);
    }),
  ];
}

/** Like the list's parameter, except that the message does not include the value. */
function includedOne(query: URLSearchParams): string[] {
  try {
    return includedCredentials(query);
  } catch {
    throw malformed('Invalid value `[]` for parameter `include_credential`.');
  }
}

function refusingConflicts(write: () => void, refusal: () => Error): void {
  try {
    write();
  } catch (error) {
    throw error instanceof IdentityConflict ? refusal() : error;
  }
}
