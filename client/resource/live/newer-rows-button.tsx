import { Button } from '@mantine/core';
import { type MouseEvent, useState } from 'react';
import type { PageParams } from '../list/shown-page.ts';
import type { CursorList } from '../list/use-cursor-list.ts';
import { formatNewer } from './newer-rows.ts';
import classes from './newer-rows-button.module.css';
import { type NewerQuestion, useNewerRows } from './use-newer-rows.ts';

/**
 * "3 new messages" above the rows of a list, over the gap there, so that nothing moves. The rows change when it is
 * pressed, not before.
 */
export function NewerRowsButton<T, Params extends PageParams>(props: {
  list: CursorList<T, Params>;
  question: NewerQuestion<T, Params>;
}) {
  const { list, question } = props;
  const { count, isLeast } = useNewerRows(list, question);
  // Pressed by keyboard it stays until the focus leaves it.
  const [isHeld, setHeld] = useState(false);
  const show = ({ detail, currentTarget }: MouseEvent<HTMLButtonElement>): void => {
    if (detail === 0) setHeld(true);
    else currentTarget.blur();
    list.reload();
  };
  return (
    <div className={classes.place} role="status" data-newer-rows>
      {(count > 0 || isHeld) && (
        <Button size="compact-sm" className={classes.button} onClick={show} onBlur={() => setHeld(false)}>
          {count > 0 ? formatNewer(count, isLeast, question) : list.fetching ? 'Reading…' : 'Up to date'}
        </Button>
      )}
    </div>
  );
}
