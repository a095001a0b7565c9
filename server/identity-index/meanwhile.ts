/** How something was changed through us: it is gone, or has to be read again. */
export type Change = 'removed' | 'written';

/** What is changed while a page of a list is on its way: the page is older, and must not undo it. */
export interface Meanwhile {
  note(id: string, change: Change): void;
  /** From here on. @returns ends it, and says which of these ids were changed, each as it was last */
  watch(): (ids: readonly string[]) => Record<Change, string[]>;
}

export function meanwhile(): Meanwhile {
  const watched = new Set<Map<string, Change>>();
  return {
    note(id, change) {
      for (const changes of watched) changes.set(id, change);
    },
    watch() {
      const changes = new Map<string, Change>();
      watched.add(changes);
      return (ids) => {
        watched.delete(changes);
        const changed = (change: Change): string[] =>
          changes.size === 0 ? [] : ids.filter((id) => changes.get(id) === change);
        return { removed: changed('removed'), written: changed('written') };
      };
    },
  };
}
