import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import { shortened } from '../lib/visible-text.ts';
import { IconButton } from './buttons.tsx';
import { useSingleFlight } from './hooks.tsx';
import { IconCheck, IconCopy } from './shell-icons.tsx';
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

/**
 * Copies a text and confirms it, or says that the browser refuses.
 * @param what names the text, after “Copied”
 * @returns whether the text was copied
 */
export async function copyAndSay(text: string, what: string): Promise<boolean> {
  try {
    await copyText(text);
    toast(`Copied ${shortened(what)}`);
    return true;
  } catch {
    toast(REFUSED);
    return false;
  }
}

const REFUSED = 'Your browser blocked copying. Select the text, and copy it by hand.';

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
