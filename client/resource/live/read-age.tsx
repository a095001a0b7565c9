import { ActionIcon } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { formatAge } from '../../format/age.ts';
import { isForTyping } from '../../ui/hooks/is-for-typing.ts';
import { useNow } from '../../ui/hooks/use-now.ts';
import { IconRefresh } from '../../ui/icons.ts';
import type { CursorList } from '../list/use-cursor-list.ts';
import classes from './read-age.module.css';

const AGE_STEP_MS = 10_000;

/** How long ago a list was read, and a button, with the key `r`, that reads it again. */
export function ReadAge({
  list,
}: {
  list: Pick<CursorList<unknown, never>, 'fetching' | 'pending' | 'readAt' | 'reload'>;
}) {
  const { readAt, reload } = list;
  const now = useNow(AGE_STEP_MS);
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (key !== 'r' || ctrlKey || metaKey || altKey || isForTyping(target)) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div className={classes.line}>
      {readAt > 0 && <span className={classes.age}>read {formatAge(now - readAt)}</span>}
      <ActionIcon
        variant="default"
        size={30}
        aria-label="Read again"
        title={readAt > 0 ? `Read again (r): read ${formatAge(now - readAt)}` : 'Read again (r)'}
        aria-keyshortcuts="r"
        loading={list.fetching && !list.pending}
        onClick={reload}
      >
        <IconRefresh />
      </ActionIcon>
    </div>
  );
}
