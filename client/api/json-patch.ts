/** An operation of RFC 6902, of those that the services behind the dashboard take: `test` is refused by all of them. */
export type PatchOperation = { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string };
