import { Button, CloseButton, Textarea } from '@mantine/core';
import { useState } from 'react';
import classes from './toasts.module.css';

const REFUSED = 'The browser did not allow copying.';
const ROWS_MAX = 6;

/** A toast for a text that could not be copied: shows it on request, selected. */
export function CopyByHand({ text, dismiss }: { text: string; dismiss: () => void }) {
  const [shown, setShown] = useState(false);
  return (
    <div className={classes.toast}>
      {shown ? (
        <Textarea
          label={`${REFUSED} Copy it by hand:`}
          flex={1}
          readOnly
          autoFocus
          onFocus={({ currentTarget }) => currentTarget.select()}
          rows={Math.min(ROWS_MAX, text.split('\n').length)}
          value={text}
        />
      ) : (
        <>
          <span>{REFUSED}</span>
          <Button size="compact-sm" variant="default" onClick={() => setShown(true)}>
            Show the text
          </Button>
        </>
      )}
      <CloseButton aria-label="Dismiss" onClick={dismiss} />
    </div>
  );
}
