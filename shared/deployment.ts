/** The two deployments of the dashboard: customers' identities and the workforce's. */
export const DEPLOYMENTS = ['customer', 'workforce'] as const;
export type Deployment = (typeof DEPLOYMENTS)[number];
