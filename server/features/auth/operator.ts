import type { Role } from '../../../shared/capabilities.ts';
import { isUuid, type JsonObject, membersOf, text, texts } from '../../../shared/json.ts';
import { IDENTITIES_PATH } from '../../../shared/upstreams.ts';
import type { Context } from '../../context.ts';
import { type ClaimsOperator, claimsOperatorId } from '../../session/claims-operators.ts';
import { type IdentityStore, roleOf, type StoredIdentity, storedIdentity } from '../../upstream/identity-store.ts';
import { isEmail, roleByClaims, shownEmail, verifiedEmail } from './operator-claims.ts';
import { type SignedIn, SignInFailed } from './provider.ts';

export interface Operator {
  identityId: string;
  role: Role;
  email: string;
  /** What is stored of an operator by claims, who has no identity. */
  byClaims?: Omit<ClaimsOperator, 'id' | 'last_sign_in'>;
}

/** @returns a function that finds the operator who has signed in. It rejects with SignInFailed or UpstreamFailure */
export function operatorFinder({
  config: { auth },
  operators: store,
}: Pick<Context, 'config' | 'operators'>): (signedIn: SignedIn) => Promise<Operator> {
  const { provider, operators, operatorSchemaIds, roleFrom, roles } = auth;
  /** Empty with AUTH_URL, where `sub` is always the id of an identity. */
  const issuer = provider.kind === 'openid' ? provider.issuer : '';

  /** The role of an identity that may sign in. */
  function roleIn(identity: StoredIdentity | undefined, identityId: string): Role {
    if (identity === undefined && issuer !== '') throw new SignInFailed('no_identity', { identityId });
    if (!identity?.active) throw new SignInFailed('inactive', { identityId });
    if (Array.isArray(operatorSchemaIds) && !operatorSchemaIds.some((id) => id === identity.schemaId))
      throw new SignInFailed('no_role', { identityId });
    return knownRole(roleOf(identity, roleFrom), roles, identityId);
  }

  /** If a store is configured, it decides: its data is current, and no client can edit it. */
  async function bySubject(signedIn: SignedIn): Promise<Operator> {
    const identityId = signedIn.sub;
    // In records, it could otherwise pass for another actor.
    if (issuer !== '' && !isUuid(identityId)) throw new SignInFailed('no_identity', { word: 'sub_not_uuid' });
    const identity = await store?.identity(identityId);
    if (store !== undefined) {
      const role = roleIn(identity, identityId);
      return { identityId, role, email: await emailOf(signedIn, identity?.traits['email'], identityId) };
    }
    const claims = await signedIn.claimsWith('/traits');
    const traits = membersOf(claims['traits']);
    const role = knownRole(traits['role'] ?? claims['role'], roles, identityId);
    return { identityId, role, email: await emailOf(signedIn, traits['email'], identityId) };
  }

  /** @param stored the address of the identity, which is shown only if the OAuth server has sent none */
  async function emailOf(signedIn: SignedIn, stored: unknown, identityId: string): Promise<string> {
    const { email: claimed } = await signedIn.claimsWith('/email');
    const email = issuer === '' ? [claimed, stored].find(isEmail) : await shownEmail(signedIn);
    if (email === undefined) throw new SignInFailed('no_email', { identityId });
    return email;
  }

  async function byEmail(signedIn: SignedIn, assumed: boolean): Promise<Operator> {
    const email = await verifiedEmail(signedIn, { issuer, assumed });
    const identity = await identityWith(email, store);
    return { identityId: identity.id, role: roleIn(identity, identity.id), email };
  }

  return async (signedIn) => {
    switch (operators.from) {
      case 'identity':
        return bySubject(signedIn);
      case 'email':
        return byEmail(signedIn, operators.emailVerifiedAssumed);
      case 'claims': {
        const { sub } = signedIn;
        const identityId = claimsOperatorId(issuer, sub);
        const role = await roleByClaims(signedIn, operators, { issuer, identityId });
        const email = await emailOf(signedIn, undefined, identityId);
        return { identityId, role, email, byClaims: { issuer, sub, email, name: await nameOf(signedIn), role } };
      }
    }
  };
}

/** The name to show, or null: nobody is refused for want of one. */
async function nameOf({ claimsWith }: SignedIn): Promise<string | null> {
  const { name } = await claimsWith('/name').catch((): JsonObject => ({}));
  return text(name).replace(/\p{C}/gu, '').trim().slice(0, 255) || null;
}

function knownRole(value: unknown, roles: readonly Role[], identityId: string): Role {
  const role = roles.find((known) => known === value);
  if (role === undefined) throw new SignInFailed('no_role', { identityId });
  return role;
}

/** Kratos' credentials whose identifiers are addresses as their owner writes them, in lower case. */
const WITH_ADDRESSES = ['password', 'code', 'webauthn', 'passkey'];
const PAGE_SIZE = 10;

/**
 * The only identity that signs in with an address. What the store returns is compared again, since a store that does
 * not know the filter returns anybody.
 * @throws SignInFailed if there is none, or more than one in any state
 */
async function identityWith(address: string, store: IdentityStore | undefined): Promise<StoredIdentity> {
  const query = { credentials_identifier: address, page_size: PAGE_SIZE };
  const page = await store?.list(IDENTITIES_PATH, query);
  const identities = (page?.items ?? []).map(storedIdentity);
  const found = identities.filter((one) => isUuid(one.id) && identifiersOf(one).includes(address));
  const [identity, another] = found;
  if (another !== undefined || page?.nextPageToken !== undefined)
    throw new SignInFailed('no_identity', { word: 'several_identities' });
  if (identity === undefined) throw new SignInFailed('no_identity');
  return identity;
}

/** In lower case. A store that returns no credentials has at least the trait. */
function identifiersOf({ credentials, traits }: StoredIdentity): string[] {
  if (Object.keys(credentials).length === 0) return [text(traits['email']).toLowerCase()];
  return WITH_ADDRESSES.flatMap((type) => texts(membersOf(credentials[type])['identifiers'])).map((one) =>
    one.toLowerCase(),
  );
}
