import { DEPLOYMENTS, type Deployment } from '../shared/upstreams.ts';

/** Undefined in tests without a DOM. */
const page = globalThis.document;
const deploymentAttribute = page?.documentElement.dataset['deployment'];

/** The deployment that served this page. */
export const deployment: Deployment = DEPLOYMENTS.find((name) => name === deploymentAttribute) ?? 'customer';

/** The full name of the deployment, so that operators do not confuse the two. */
export const deploymentName: string = { customer: 'Customer identity', workforce: 'Workforce identity' }[deployment];

/** Name of this installation, such as `staging`; undefined if none is configured. */
export const environmentLabel: string | undefined =
  page?.querySelector<HTMLMetaElement>('meta[name="environment"]')?.content || undefined;
