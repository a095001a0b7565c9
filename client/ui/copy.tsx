import { CloseButton, Text } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import { shortened } from '../lib/visible-text.ts';
import { IconButton, SmallButton } from './buttons.tsx';
import { useSingleFlight } from './hooks.tsx';
import { IconCheck, IconCopy } from './shell-icons.tsx';
import classes from './toasts.module.css';
import { toast } from './toasts.tsx';

const COPIED_MS = 2_000;

/**
 * Copies a text without displaying it.
 * @param what names the text, after “Copy” and “Copied”: “identity ID”
 * @param read returns the text, or a promise for it
 * @param onError displays a failed request next to the value
 */
export function CopyButton(props: {
  what: string;
  read: () => string | Promise<string>;
  onError?: (error: Error) => void;
  tabIndex?: number | undefined;
}) {
  const [copied, setCopied] = useState(false);
  const { run, pending } = useSingleFlight();
  const reset = useTimeout(() => setCopied(false), COPIED_MS);
  const copy = () =>
    run(async () => {
      try {
        setCopied(await copyAndSay(await props.read(), props.what));
        reset.start();
      } catch (error) {
        if (props.onError !== undefined) props.onError(error as Error);
        else toast((error as Error).message);
      }
    });
  return (
    <IconButton label={`Copy ${props.what}`} loading={pending} tabIndex={props.tabIndex} onClick={() => void copy()}>
      {copied ? <IconCheck /> : <IconCopy />}
    </IconButton>
  );
}

const ROWS_MAX = 6;

/**
 * Copies a text and confirms it. If the browser refuses, offers the text for manual copying, hidden at first because it
 * may be a secret.
 * @param what names the text, after “Copied”
 * @returns whether the text was copied
 */
export async function copyAndSay(text: string, what: string): Promise<boolean> {
  try {
    await copyText(text);
    toast(`Copied ${shortened(what)}`);
    return true;
  } catch {
    toast(REFUSED, ({ dismiss }) => <CopyByHand text={text} dismiss={dismiss} />);
    return false;
  }
}

const REFUSED = 'Your browser blocked copying.';

function CopyByHand({ text, dismiss }: { text: string; dismiss: () => void }) {
  const [isVisible, setVisible] = useState(false);
  return (
    <div className={classes.toast}>
      {isVisible ? (
        <Text component="label" size="sm">
          {REFUSED} Copy the text by hand:
          <textarea
            className={classes.byHand}
            readOnly
            // biome-ignore lint/a11y/noAutofocus: the operator has just requested this text
            autoFocus
            onFocus={({ currentTarget }) => currentTarget.select()}
            rows={Math.min(ROWS_MAX, text.split('\n').length)}
            value={text}
          />
        </Text>
      ) : (
        <>
          <span>{REFUSED}</span>
          <SmallButton onClick={() => setVisible(true)}>Show text</SmallButton>
        </>
      )}
      <CloseButton aria-label="Dismiss" onClick={dismiss} />
    </div>
  );
}

/**
 * Browsers offer the asynchronous clipboard only to secure origins. On plain HTTP other than localhost, the legacy
 * command works during a click.
 */
async function copyText(text: string): Promise<void> {
  try {
    if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  } catch {
    // A policy may block only the asynchronous clipboard: try the legacy command.
  }
  const holder = document.createElement('textarea');
  holder.value = text;
  holder.setAttribute('aria-hidden', 'true');
  const focused = document.activeElement;
  document.body.append(holder);
  holder.select();
  const done = document.execCommand('copy');
  holder.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!done) throw new Error(REFUSED);
}
