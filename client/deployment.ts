import { DEPLOYMENTS, type Deployment } from '../shared/upstreams.ts';

/** Undefined outside a browser, where this module also runs. */
const page = globalThis.document;
const written = page?.documentElement.dataset['deployment'];

/** The deployment that served this page. */
export const deployment: Deployment = DEPLOYMENTS.find((name) => name === written) ?? 'customer';

/** Full name, for texts where operators must not confuse the two deployments. */
export const deploymentName: string = { customer: 'Customer identity', workforce: 'Workforce identity' }[deployment];

/** Name of this installation, such as `staging`; undefined if none is configured. */
export const environmentLabel: string | undefined =
  page?.querySelector<HTMLMetaElement>('meta[name="environment"]')?.content || undefined;
