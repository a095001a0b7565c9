const CODES = new Set(['ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE']);

/** Whether an error means that the key exists already. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && CODES.has(String((error as { code?: unknown }).code));
