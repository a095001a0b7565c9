const KEY = 'identities.schema';

/** The only schema, or the schema last chosen in this browser if it still exists. */
export function rememberedSchema(schemas: readonly { id: string }[]): string | undefined {
  if (schemas.length === 1) return schemas[0]?.id;
  const last = read();
  return schemas.find(({ id }) => id === last)?.id;
}

export function rememberSchema(id: string): void {
  try {
    localStorage.setItem(KEY, id);
  } catch {
    // Without localStorage, the operator chooses again next time.
  }
}

function read(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
