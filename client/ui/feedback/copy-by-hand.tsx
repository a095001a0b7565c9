import { Button, CloseButton, Textarea } from '@mantine/core';
import { useState } from 'react';
import { copyText } from '../../lib/copy-text.ts';
import classes from './toasts.module.css';
import { toast } from './toasts.tsx';

const ROWS_MAX = 6;

/**
 * Copies a text and says so. Where the browser refuses, the text is offered to be copied by hand; it is not shown at
 * once, since it may be a secret.
 * @returns whether it was copied
 */
export async function copyAndSay(text: string, said = 'Copied'): Promise<boolean> {
  try {
    await copyText(text);
    toast(said);
    return true;
  } catch {
    toast(REFUSED, ({ dismiss }) => <CopyByHand text={text} dismiss={dismiss} />);
    return false;
  }
}

const REFUSED = 'The browser did not allow copying.';

function CopyByHand({ text, dismiss }: { text: string; dismiss: () => void }) {
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
