import { DEPLOYMENTS, type Deployment } from '../shared/deployment.ts';

/** What the service wrote into the page; nothing where there is none: code that runs without one reads this as well. */
const page = globalThis.document;
const written = page?.documentElement.dataset['deployment'];

/** Which deployment served this page. */
export const deployment: Deployment = DEPLOYMENTS.find((name) => name === written) ?? 'customer';

/** Named in full wherever an operator must not mistake one for the other. */
export const deploymentName: string = { customer: 'Customer identity', workforce: 'Workforce identity' }[deployment];

/** Which of several installations of it: `staging`; undefined where nobody gave it a name. */
export const environmentLabel: string | undefined =
  page?.querySelector<HTMLMetaElement>('meta[name="environment"]')?.content || undefined;
