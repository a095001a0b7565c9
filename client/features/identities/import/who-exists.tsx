import { Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { digits } from '../../../format/counted.ts';
import type { ImportSession } from './import-session.ts';
import type { Inspection } from './inspect-identities.ts';

/** Lines of people who exist already; null where that is not known. */
export type ExistingLines = ReadonlySet<number> | null | undefined;

/** Looks up, again after each check, who in the file exists already; undefined until that is known. */
export function useExistingLines(session: ImportSession, inspection: Inspection): ExistingLines {
  const [found, setFound] = useState<{ inspection: Inspection; lines: ExistingLines }>();
  useEffect(() => {
    const controller = new AbortController();
    const show = (lines: ExistingLines): void => {
      if (!controller.signal.aborted) setFound({ inspection, lines });
    };
    session.existing(controller.signal).then(
      (lines) => show(lines ?? null),
      () => show(null),
    );
    return () => controller.abort();
  }, [session, inspection]);
  return found?.inspection === inspection ? found.lines : undefined;
}

const LINES_SHOWN = 20;

export function WhoExists({ lines }: { lines: ExistingLines }) {
  return (
    <Text size="sm" role="status">
      {lines === undefined
        ? 'Looking up who already exists…'
        : lines === null
          ? 'Who already exists could not be looked up. The import leaves those people as they are.'
          : lines.size === 0
            ? 'Nobody in the file exists yet.'
            : `${digits(lines.size)} already ${lines.size === 1 ? 'exists' : 'exist'}, in ${linesOf(lines)}. The import leaves them as they are.`}
    </Text>
  );
}

const linesOf = (lines: ReadonlySet<number>): string => {
  const shown = [...lines].sort((a, b) => a - b).slice(0, LINES_SHOWN);
  return `${lines.size === 1 ? 'line' : 'lines'} ${shown.join(', ')}${lines.size > LINES_SHOWN ? ', …' : ''}`;
};
