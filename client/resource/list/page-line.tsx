import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { type CountedTotal, totalInWords } from './page-in-words.ts';
import { useNow } from './use-now.ts';

const AGE_STEP_MS = 10_000;

/** Where one is: page and rows, announced when they change; the total and its age tick beside what is announced. */
export const PageLine = ({ status, total }: { status: string; total: ReactNode }) => (
  <Text size="sm" c="dimmed" component="div" me="auto">
    <span role="status">{status}</span>
    {total}
  </Text>
);

/** For the page line of a resource whose service counts. @param pending nothing has come, and nothing has failed, yet */
export function Total({ counted, pending }: { counted: CountedTotal | undefined; pending: boolean }) {
  const now = useNow(AGE_STEP_MS);
  return <span>, {pending ? 'counting…' : totalInWords(counted, now)}</span>;
}
