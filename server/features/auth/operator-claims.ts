import { ROLES, type Role } from '../../../shared/capabilities.ts';
import { isObject, type JsonObject, membersOf, text, texts } from '../../../shared/json.ts';
import { EMAIL_CLAIM, type RoleClaim } from '../../config/config.ts';
import { GOOGLE, type SignedIn, SignInFailed, valueAt } from './provider.ts';

const VALUES_MAX = 10_000;
/** Keeps the cookie within the limits of browsers and servers. */
const EMAIL_MAX_CHARACTERS = 320;

export const isEmail = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= EMAIL_MAX_CHARACTERS && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(value);

/**
 * Whether the provider vouches for the address in these claims. An explicit `email_verified` decides; `xms_edov` is how
 * Entra ID says it. Google vouches only for the addresses that it hosts: any other may have a new owner since.
 * @param assumed applies only if the provider says neither
 */
function isVerified(claims: JsonObject, issuer: string, assumed: boolean): boolean {
  const { email, email_verified: verified, xms_edov: edov, hd } = claims;
  if (issuer === GOOGLE)
    return verified === true && (/@gmail\.com$/i.test(text(email)) || (typeof hd === 'string' && hd !== ''));
  if (verified !== undefined) return verified === true;
  // Entra ID sends it as a number or a text as well.
  if (edov !== undefined) return [true, 1, '1', 'true'].includes(edov as string);
  return assumed;
}

/**
 * The verified address of who has signed in, in lower case.
 * @throws SignInFailed `no_email`, `email_unverified`
 */
export async function verifiedEmail(
  signedIn: SignedIn,
  { issuer, assumed, identityId }: { issuer: string; assumed: boolean; identityId?: string },
): Promise<string> {
  const claims = await signedIn.claimsWith(EMAIL_CLAIM);
  const { email } = claims;
  if (!isEmail(email)) throw new SignInFailed('no_email', { identityId });
  if (!isVerified(claims, issuer, assumed)) throw new SignInFailed('email_unverified', { identityId });
  // Letters beyond ASCII may look like others, and stores differ in how they compare them.
  if (!/^[\x21-\x7e]+$/.test(email)) throw new SignInFailed('no_identity', { identityId, word: 'address_not_ascii' });
  return email.toLowerCase();
}

/** The address to show: `email`, or a preferred user name that is an address; undefined without either. */
export async function shownEmail({ claimsWith }: SignedIn): Promise<string | undefined> {
  for (const name of ['email', 'preferred_username']) {
    const { [name]: address } = await claimsWith(`/${name}`);
    if (isEmail(address)) return address;
  }
  return undefined;
}

/** The values of a claim: a string, an array, or the names of an object's members that are objects (Zitadel). */
function valuesOf(claim: unknown): unknown[] {
  if (typeof claim === 'string') return [claim];
  if (Array.isArray(claim)) return claim;
  return Object.entries(membersOf(claim)).map(([name, member]) => (isObject(member) ? name : undefined));
}

/** Entra ID leaves out a claim of more than 200 groups, and says where to request it instead. */
async function isLeftOut({ claimsWith }: SignedIn, claim: string): Promise<boolean> {
  const [, name = ''] = claim.split('/');
  const { _claim_names: elsewhere } = await claimsWith('/_claim_names');
  if (Object.hasOwn(membersOf(elsewhere), name)) return true;
  const { hasgroups } = await claimsWith('/hasgroups');
  return name === 'groups' && (hasgroups === true || hasgroups === 'true');
}

/**
 * The role that the provider's claims give: the first in the order of `ROLES`.
 * @throws SignInFailed `no_role` with the claim and its number of values, `groups_overage`, `email_unverified`
 */
export async function roleByClaims(
  signedIn: SignedIn,
  rule: RoleClaim,
  { issuer, identityId }: { issuer: string; identityId: string },
): Promise<Role> {
  const { roleClaim, roleValues, emailVerifiedAssumed } = rule;
  const claim =
    roleClaim === EMAIL_CLAIM
      ? await verifiedEmail(signedIn, { issuer, identityId, assumed: emailVerifiedAssumed })
      : valueAt(await signedIn.claimsWith(roleClaim), roleClaim);
  if (claim === undefined && (await isLeftOut(signedIn, roleClaim)))
    throw new SignInFailed('groups_overage', { identityId });
  const values = valuesOf(claim);
  // None of them counts if there are too many, or some are not texts.
  const counted = new Set(values.length <= VALUES_MAX && texts(values).length === values.length ? values : []);
  const role = ROLES.find((one) => roleValues.get(one)?.some((value) => counted.has(value)));
  if (role === undefined)
    throw new SignInFailed('no_role', { identityId, details: { claim: roleClaim, values: values.length } });
  return role;
}
