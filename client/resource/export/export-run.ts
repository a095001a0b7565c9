import { type BackOff, withBackOff } from '../../api/back-off.ts';
import type { CursorPage } from '../../api/cursor-page.ts';

/** Serializes rows into a file. */
export interface RowWriter<T> {
  /** Text before the first row; may be empty. */
  start: string;
  write(row: T): string;
}

export type ReadPage<T> = (
  token: string | undefined,
  signal: AbortSignal,
) => Promise<
  CursorPage<T> & {
    /** Rows that were to be in it and no longer match. */
    leftOut?: number;
    /** A warning: which rows may be missing. */
    missing?: string | undefined;
  }
>;

export interface Export {
  /**
   * Reads page after page, one at a time. After a failure or a cancellation it can be called again to continue.
   * @throws the error of a page after all retries
   */
  run(signal: AbortSignal, onProgress: (rows: number) => void): Promise<'complete' | 'cancelled'>;
  /** Rows so far. */
  count(): number;
  /** Rows so far that were left out. */
  leftOut(): number;
  /** A warning: which rows may be missing. */
  missing(): string | undefined;
  /** The file so far. */
  file(): Blob;
}

/** @param readPage reads one page; without a token, the first */
export function startExport<T>(writer: RowWriter<T>, readPage: ReadPage<T>, wait?: BackOff['wait']): Export {
  // Each page becomes a Blob, which the browser may keep on disk.
  const parts: Blob[] = [new Blob([writer.start])];
  const walked = new Set<string>();
  let token: string | undefined;
  let count = 0;
  let leftOut = 0;
  let missing: string | undefined;
  let complete = false;
  return {
    count: () => count,
    leftOut: () => leftOut,
    missing: () => missing,
    file: () => new Blob(parts),
    async run(signal, onProgress) {
      while (!complete && !signal.aborted) {
        const page = await withBackOff(() => readPage(token, signal), { signal, wait }).catch((error: unknown) => {
          if (signal.aborted) return undefined;
          throw error;
        });
        if (page === undefined) return 'cancelled';
        // A repeated cursor would loop forever.
        if (page.next !== undefined && (page.next === token || walked.has(page.next)))
          throw new Error('The service repeats its pages; the export cannot continue.');
        parts.push(new Blob([page.rows.map((row) => writer.write(row)).join('')]));
        count += page.rows.length;
        leftOut += page.leftOut ?? 0;
        missing = page.missing;
        onProgress(count);
        token = page.next;
        complete = token === undefined;
        if (token !== undefined) walked.add(token);
      }
      return complete ? 'complete' : 'cancelled';
    },
  };
}
