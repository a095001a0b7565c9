import { type Capability, holdersOf, type Role, rolesWith } from '../shared/capabilities.ts';
import { DEPLOYMENTS, type Deployment, identityService, type UpstreamName } from '../shared/upstreams.ts';

/** Undefined in tests without a DOM. */
const page = globalThis.document;
const deploymentAttribute = page?.documentElement.dataset['deployment'];

/** The deployment that served this page. */
export const deployment: Deployment = DEPLOYMENTS.find((name) => name === deploymentAttribute) ?? 'customer';

/** Whether operators sign in at an OpenID provider, where a sign-out of this dashboard changes nothing. */
export const usesOpenId = (): boolean => globalThis.document?.documentElement.dataset['signIn'] === 'openid';

/** Whether the service receives events of Kratos and Hydra. */
export const hasSignInLog = (): boolean => globalThis.document?.documentElement.dataset['signInLog'] === 'on';

/** Whether acts that end or delete something need a reason (REQUIRE_REASON). */
export const requiresReason = (): boolean => globalThis.document?.documentElement.dataset['reason'] === 'required';

/** The roles of this installation, those that may do more first. */
export const roles = (): readonly Role[] =>
  rolesWith((globalThis.document?.documentElement.dataset['extraRoles'] ?? '').split(' '));

/** Those with any of these capabilities, in words: "administrators and auditors". */
export const holders = (anyOf: readonly Capability[]): string => holdersOf(anyOf, roles());

/** Whether none but administrators have any of these capabilities. */
export const isForAdministrators = (anyOf: readonly Capability[]): boolean =>
  holders(anyOf) === holders(['upstreams.write']);

/** The full name of the deployment, so that operators do not confuse the two. */
export const deploymentName: string = { customer: 'Customer identity', workforce: 'Workforce identity' }[deployment];

/** Name of this installation, such as `staging`; undefined if none is configured. */
export const environmentLabel: string | undefined =
  page?.querySelector<HTMLMetaElement>('meta[name="environment"]')?.content || undefined;

/** Whether an upstream is configured; without a list in the document, as in tests, each is. */
function isConfigured(name: UpstreamName): boolean {
  const list = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="upstreams"]')?.content;
  return list === undefined || list.split(' ').includes(name);
}

const { publicApi, adminApi } = identityService(deployment);
/** Whether the deployment has an identity service of its own. */
export const hasPeople = (): boolean => isConfigured(publicApi) || isConfigured(adminApi);
/** Whether there is an OAuth 2.0 server whose clients and consents can be managed. */
export const hasApplications = (): boolean => isConfigured('oauth') || isConfigured('oauth-admin');

/** Whether the app has a page: it has none about a service that is not configured. @param path its address or route */
export const hasPage = (path: string): boolean =>
  (hasPeople() || !/^\/(?:identities|sessions|messages|schemas)(?:\/|$)/.test(path)) &&
  (hasApplications() || !/^\/oauth\/|\/consents$/.test(path));
