const KEY = 'identities.schema';

/** The schema that was chosen last in this browser, where it is still among these; the only one where there is one. */
export function rememberedSchema(schemas: readonly { id: string }[]): string | undefined {
  if (schemas.length === 1) return schemas[0]?.id;
  const last = read();
  return schemas.find(({ id }) => id === last)?.id;
}

export function rememberSchema(id: string): void {
  try {
    localStorage.setItem(KEY, id);
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

function read(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
