type Found<Name> = Promise<Map<string, Name>>;

const REMEMBER_MS = 60_000;
const REMEMBERED_MAX = 1_000;

/**
 * Remembers what was read by id for a minute, absences included, and reads each id once for all who wait. What could not
 * be read is read again.
 * @param read the names that exist among these ids
 * @param elapsed milliseconds on a monotonic clock
 * @returns a function that gives a name for each id; undefined without one, or if reading failed
 */
export function rememberedNames<Name>(
  read: (ids: readonly string[]) => Found<Name>,
  elapsed: () => number,
): (ids: readonly string[]) => Promise<(Name | undefined)[]> {
  /** Which answer holds an id's name; pending ones count, so that no id is requested twice. */
  const remembered = new Map<string, { found: Found<Name>; until: number }>();

  function remember(id: string, found: Found<Name>): void {
    const entry = { found, until: Number.POSITIVE_INFINITY };
    remembered.delete(id);
    const oldest = remembered.keys().next();
    if (remembered.size >= REMEMBERED_MAX && !oldest.done) remembered.delete(oldest.value);
    remembered.set(id, entry);
    const keepFor = (ms: number): void => {
      entry.until = elapsed() + ms;
    };
    found.then(
      () => keepFor(REMEMBER_MS),
      () => keepFor(0),
    );
  }

  function known(id: string): Found<Name> | undefined {
    const entry = remembered.get(id);
    return entry !== undefined && entry.until > elapsed() ? entry.found : undefined;
  }

  return (ids) => {
    const answers = new Map(ids.map((id) => [id, known(id)]));
    const unknown = [...answers.keys()].filter((id) => answers.get(id) === undefined);
    const request = unknown.length === 0 ? undefined : read(unknown);
    if (request !== undefined) for (const id of unknown) remember(id, request);
    return Promise.all(ids.map(async (id) => (await (answers.get(id) ?? request)?.catch(() => undefined))?.get(id)));
  };
}
