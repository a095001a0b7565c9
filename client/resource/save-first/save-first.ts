import { reworded } from '../../api/request-error.ts';
import { fileName, saveFile } from '../../lib/save-file.ts';
import { type ReadPage, type RowWriter, startExport } from '../export/export-run.ts';

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
export const saveFirst = <T>(how: {
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
