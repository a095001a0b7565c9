import type { TestCluster } from './cluster.ts';
import { type CallOptions, callAt, type Dashboard, startDashboard } from './dashboard.ts';
import { replicaOf } from './replica.ts';

/** A dashboard on the first node of a cluster, and a replica of it on each other one. */
export interface ClusterReplicas {
  dashboard: Dashboard;
  /** Of all, the dashboard first. */
  urls: readonly string[];
  /** Every log line so far, of all. */
  logged(): string[];
  call(index: number, path: string, options?: CallOptions): Promise<Response>;
  close(): Promise<void>;
}

export async function startClusterReplicas(cluster: TestCluster): Promise<ClusterReplicas> {
  const [first, ...others] = cluster.urls();
  const dashboard = await startDashboard({ env: { DATABASE_URL: first } });
  const replicas = await Promise.all(
    others.map((url) => replicaOf({ ...dashboard, env: { ...dashboard.env, DATABASE_URL: url } })),
  );
  const urls = [dashboard, ...replicas].map(({ url }) => url);
  return {
    dashboard,
    urls,
    logged: () => [dashboard, ...replicas].flatMap(({ logged }) => logged),
    call: (index, path, options) => callAt(urls[index] ?? '', path, options),
    async close() {
      for (const replica of replicas) await replica.close();
      await dashboard.close();
    },
  };
}
