import { creationOf } from '../create-table.ts';

export const createDashboardViews = creationOf('dashboard_views', ({ exact, long }) => [
  `identity_id ${exact(255)} not null primary key`,
  `views ${long} not null`,
  `updated_at ${exact(24)} not null`,
]);
