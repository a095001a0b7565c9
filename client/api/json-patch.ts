/** An RFC 6902 operation that the upstream services accept; all of them reject `test`. */
export type PatchOperation = { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string };
