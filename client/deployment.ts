import { DEPLOYMENTS, type Deployment } from '../shared/deployment.ts';

/** Nothing where there is no page: code that runs without one reads this as well. */
const writtenAs = (name: string): string | undefined =>
  globalThis.document?.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
const written = writtenAs('deployment');

/** Which deployment served this page; the service writes it into the page. */
export const deployment: Deployment = DEPLOYMENTS.find((name) => name === written) ?? 'customer';

/** Named in full wherever an operator must not mistake one for the other. */
export const deploymentName: string = { customer: 'Customer identity', workforce: 'Workforce identity' }[deployment];

/** One accent for each deployment: colours of the theme. */
export const accent: 'indigo' | 'teal' = deployment === 'customer' ? 'indigo' : 'teal';

/** Which of several installations of it: `staging`; undefined where nobody gave it a name. */
export const environmentLabel: string | undefined = writtenAs('environment') || undefined;
