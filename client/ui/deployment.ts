import { DEPLOYMENTS, type Deployment } from '../../shared/deployment.ts';

const metaContent = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** Which deployment served this page; the service writes it into the page. */
export const deployment: Deployment = DEPLOYMENTS.find((name) => name === metaContent('deployment')) ?? 'customer';

export const version: string = metaContent('version');

/** Named in full wherever an operator must not mistake one for the other. */
export const deploymentName: string = { customer: 'Customer identity', workforce: 'Workforce identity' }[deployment];

/** One accent for each deployment: colours of the theme. */
export const accent: 'indigo' | 'teal' = deployment === 'customer' ? 'indigo' : 'teal';
