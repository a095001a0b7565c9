import { DEPLOYMENTS, type Deployment } from '../shared/upstreams.ts';

/** Undefined outside a browser: this module also runs there. */
const page = globalThis.document;
const written = page?.documentElement.dataset['deployment'];

/** Which deployment served this page. */
export const deployment: Deployment = DEPLOYMENTS.find((name) => name === written) ?? 'customer';

/** Used in full wherever the two deployments must not be confused. */
export const deploymentName: string = { customer: 'Customer identity', workforce: 'Workforce identity' }[deployment];

/** Name of this installation, such as `staging`; undefined if none is configured. */
export const environmentLabel: string | undefined =
  page?.querySelector<HTMLMetaElement>('meta[name="environment"]')?.content || undefined;
