import { Checkbox } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { reworded } from '../api/request.ts';
import { fileName, saveFile } from '../lib/files.ts';
import type { Failure } from '../ui/failure-panel.tsx';
import { type ReadPage, type RowWriter, startExport } from './export.tsx';

/** Offers, before a deletion, to save what is deleted. Not chosen unless the operator chooses it. */
export const SaveFirstField = (props: { about: string; chosen: boolean; onChange: (chosen: boolean) => void }) => (
  <Checkbox
    label="Save as JSON first"
    description={props.about}
    checked={props.chosen}
    onChange={(event) => props.onChange(event.currentTarget.checked)}
  />
);

/** How records are saved before they are deleted. */
export interface SaveFirst {
  /** What is in the file, what is not, and what takes it. */
  about: string;
  /**
   * Saves those that still exist; without any there is no file.
   * @param onProgress called with how many are read
   * @throws an error that says that nothing was deleted; also when it is cancelled
   */
  save(ids: readonly string[], signal: AbortSignal, onProgress: (read: number) => void): Promise<void>;
}

/**
 * @param how.subject the beginning of the file's name
 * @param how.pagesOf reads the records with these ids
 */
export const saveFirst = <T,>(how: {
  about: string;
  subject: string;
  writer: RowWriter<T>;
  pagesOf: (ids: readonly string[]) => ReadPage<T>;
}): SaveFirst => ({
  about: how.about,
  async save(ids, signal, onProgress) {
    const exporting = startExport(how.writer, how.pagesOf(ids));
    const ended = await exporting.run(signal, onProgress).catch((error: Error) => {
      throw reworded(error, `Not saved, so nothing was deleted: ${error.message}`);
    });
    if (ended === 'cancelled') throw new Error('Cancelled: nothing was saved, and nothing was deleted.');
    if (exporting.count() > 0) saveFile(fileName(how.subject, 'ndjson'), exporting.file());
  },
});

/** Saving many records before they are deleted. */
export interface Saving {
  /** How many are read while it runs; undefined otherwise. */
  read: number | undefined;
  failure: Failure | undefined;
  /** @param then called once the file is saved, and not if that fails */
  start(then: () => void): void;
  /** Undefined once it was pressed. */
  cancel: (() => void) | undefined;
}

export function useSaveFirst(saveFirst: SaveFirst | undefined, ids: readonly string[]): Saving {
  const [read, setRead] = useState<number>();
  const [failure, setFailure] = useState<Failure>();
  const [cancelled, setCancelled] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const save = async (then: () => void): Promise<void> => {
    if (saveFirst === undefined || running.current !== undefined) return;
    const controller = new AbortController();
    running.current = controller;
    setFailure(undefined);
    setCancelled(false);
    setRead(0);
    const failed = await saveFirst.save(ids, controller.signal, setRead).then(
      () => undefined,
      (error: Error) => error,
    );
    running.current = undefined;
    setRead(undefined);
    setFailure(failed);
    if (failed === undefined) then();
  };
  return {
    read,
    failure,
    start: (then) => void save(then),
    cancel: cancelled
      ? undefined
      : () => {
          setCancelled(true);
          running.current?.abort();
        },
  };
}
