import { Button, type ButtonProps } from '@mantine/core';
import { type ComponentType, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type Capability, can } from '../../shared/capabilities.ts';
import { useOperator, useRefusal } from '../api/session.ts';
import { shellCommand } from '../lib/encoding.ts';
import { visibleJson } from '../lib/visible-text.ts';
import { SmallButton } from '../ui/buttons.tsx';
import { copyAndSay } from '../ui/copy.tsx';
import { usePassFocusOn } from '../ui/hooks.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { offerPageActions } from '../ui/pages.ts';
import { type Icon, IconCopy } from '../ui/shell-icons.tsx';

/** A menu entry of a record page that opens a dialog, or acts at once if it needs no confirmation. */
export interface MenuAction<Subject> {
  label: string;
  icon: Icon;
  /** `upstreams.write` by default. Without it, the entry is left out. */
  needs?: Capability;
  /** Irreversible: separate from the others, and red. */
  final?: boolean;
  /** A button beside the menu, for frequent actions; filled if it is the page's main action. */
  beside?: boolean | 'main';
  dialog?: ComponentType<Subject & { onClose: () => void }>;
  act?: () => void;
}

/**
 * A menu of rare or irreversible actions that the operator may do, and of copy commands.
 * @param subject the props of every dialog, except `onClose`
 * @param copy the record
 */
export function ActionMenu<Subject extends object>(props: {
  actions: readonly MenuAction<Subject>[];
  subject: Subject;
  copy: Copyable;
}) {
  const { copy, actions } = props;
  const { role } = useOperator();
  const [Dialog, setDialog] = useState<MenuAction<Subject>['dialog']>();
  const entries = useMemo(
    () =>
      actions
        .filter(({ needs = 'upstreams.write' }) => can(role, needs))
        .map((action) => ({
          ...action,
          // Never replaces an open dialog: it may show a secret that appears only once.
          run: () => action.act?.() ?? setDialog((open: MenuAction<Subject>['dialog']) => open ?? action.dialog),
        })),
    [actions, role],
  );
  useEffect(() => offerPageActions(entries), [entries]);
  const items = [
    ...entries.filter(({ beside }) => !beside),
    ...COPIES.map(({ label, what, text }) => ({ label, icon: IconCopy, run: () => void copyAndSay(text(copy), what) })),
  ];
  return (
    <>
      {entries
        .filter(({ beside }) => beside)
        .map(({ label, icon: Icon, beside, run }) => (
          <BesideButton
            key={label}
            variant={beside === 'main' ? 'filled' : 'default'}
            leftSection={<Icon />}
            onClick={run}
          >
            {label}
          </BesideButton>
        ))}
      <MoreButton items={items} />
      {Dialog !== undefined && <Dialog {...props.subject} onClose={() => setDialog(undefined)} />}
    </>
  );
}

/**
 * A button that writes. Without the capability, by default `upstreams.write`, it says who has it. Its action may remove
 * it, with the row that it is in.
 */
export function WriteButton({
  needs = 'upstreams.write',
  ...props
}: Parameters<typeof SmallButton>[0] & { needs?: Capability }) {
  const button = useRef<HTMLButtonElement>(null);
  usePassFocusOn(button);
  return <SmallButton ref={button} flex="none" {...props} reason={useRefusal(needs)} />;
}

/** Moves focus to the menu when the button disappears, for example because its action is done. */
function BesideButton(props: ButtonProps & { onClick: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      if (current !== null && current === document.activeElement)
        current.parentElement?.querySelector<HTMLElement>('[aria-haspopup="menu"]')?.focus();
    };
  }, []);
  return <Button ref={button} {...props} />;
}

/** A record as displayed, with the path that it was loaded from. */
export interface Copyable {
  /** A path of the dashboard's own API. */
  path: string;
  /** Masked values are not included. */
  value: unknown;
}

/**
 * A command that requests a record. The session cookie is a shell variable, to keep it out of the shell's history and
 * of any place where the command is pasted.
 */
export const curlCommand = (path: string): string =>
  `${shellCommand(['curl', '--fail-with-body', `${location.origin}${path}`])} \\\n  --cookie "dashboard-session=$DASHBOARD_COOKIE"`;

export const COPIES: readonly { label: string; what: string; text: (record: Copyable) => string }[] = [
  { label: 'Copy as a curl command', what: 'curl command', text: ({ path }) => curlCommand(path) },
  { label: 'Copy as JSON', what: 'JSON', text: ({ value }) => visibleJson(value) },
];
