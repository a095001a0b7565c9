import { Loader, Text } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { IconSearch } from '../../ui/shell-icons.tsx';
import { useCommands } from './commands.tsx';
import { bestFirst, type Command, type Group, useFound } from './found.tsx';
import classes from './palette.module.css';
import { whatIs } from './pasted.ts';
import { useLookUp } from './records.tsx';
import { statusOf } from './searches.tsx';
import { Marked } from './words.tsx';

/**
 * Finds pages and actions by words in their names, identities and clients by any part of their texts, settings by any
 * part of the key, and records by id. Empty, it lists the records opened last and the favourites. Has no transition, so
 * that it can reopen immediately.
 */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const router = useRouter();
  // The id of the chosen command, since results arrive later; by default the best match.
  const [{ text, chosen, note }, setState] = useState<State>({ text: '' });
  const pasted = useMemo(() => whatIs(text, isRouteOf(router), new URL(location.href)), [text, router]);
  const found = useFound(pasted.kind === 'text' ? pasted.text : undefined);
  const lookUp = useLookUp(pasted);
  const isPending = found.pending || lookUp.pending;
  const ranked = useCommands(text.trim(), pasted, [found, lookUp], onShortcuts);
  const groups = useOrderOfArrival(ranked, text);
  const commands = groups.flatMap(({ commands }) => commands);
  // Of equal matches, the one that arrived first stays selected.
  const [best = groups[0]] = bestFirst(groups.filter(({ kind }) => kind !== 'searches'));
  const current = commands.find(({ id }) => id === chosen) ?? best?.commands[0];
  const idOf = (command: Command): string => `${list}-${commands.indexOf(command)}`;
  const { run, pending } = useSingleFlight();

  const choose = (command: Command | undefined): void => {
    if (command === undefined) return;
    void run(async () => {
      const working = command.run();
      const result = working instanceof Promise && (await working.catch((error: Error) => error.message));
      if (typeof result !== 'string') return onClose();
      setState({ text, note: result });
      // The clicked line may be gone.
      dialog.current?.querySelector('input')?.focus();
    });
  };
  const enter = useEnter({ text, chosen, isPending, searchNow: found.searchNow, groups: ranked, current, choose });
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // `close` returns focus.
    return () => current?.close();
  }, []);
  // Not after every response: the operator may have scrolled the list. Not below the pointer, which aims at a line.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll only when the selected command changes
  useEffect(() => {
    const isBelowPointer = dialog.current?.querySelector('[role=listbox]:hover') != null;
    if (chosen !== undefined || !isBelowPointer)
      dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current?.id]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && current !== undefined) {
      const next = commands[(commands.indexOf(current) + step + commands.length) % commands.length];
      setState({ text, ...(next && { chosen: next.id }) });
    } else if (event.key === 'Enter') enter.press();
    else if (event.key === 'Escape') onClose();
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      className={classes.palette}
      aria-label="Search or jump to"
      aria-busy={pending}
      onKeyDown={onKeyDown}
      onCancel={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div className={classes.content}>
        <label className={classes.search}>
          {pending || isPending ? <Loader size={18} aria-hidden /> : <IconSearch size={18} />}
          <input
            role="combobox"
            aria-label="Page or action"
            placeholder="Page or action, name, e-mail or ID…"
            aria-expanded
            aria-autocomplete="list"
            aria-controls={list}
            aria-activedescendant={current && idOf(current)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            readOnly={pending}
            value={text}
            onChange={(event) => {
              enter.forget();
              setState({ text: event.currentTarget.value });
            }}
          />
        </label>
        <div id={list} role="listbox" aria-label="Suggestions" className={classes.commands} tabIndex={-1}>
          {groups.map((group) => (
            <Named key={keyOf(group)} name={group.name}>
              {group.commands.map((command) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
                <div
                  key={command.id}
                  id={idOf(command)}
                  role="option"
                  aria-selected={command === current}
                  tabIndex={-1}
                  className={classes.command}
                  onMouseMove={() => command !== current && setState({ text, chosen: command.id })}
                  onClick={() => choose(command)}
                >
                  {command.icon}
                  <span>
                    <bdi>
                      <Marked text={command.label} search={group.kind === 'searches' ? undefined : found.text} />
                    </bdi>
                    {command.about !== undefined && (
                      <small>
                        <bdi>
                          <Marked text={command.about} search={group.kind === 'found' ? found.text : undefined} />
                        </bdi>
                      </small>
                    )}
                  </span>
                </div>
              ))}
            </Named>
          ))}
        </div>
        {commands.length === 0 && !isPending && (
          <Text size="sm" c="dimmed" ta="center" p="lg">
            No results
          </Text>
        )}
        <p role="status" className={classes.status}>
          {note ?? statusOf(pasted, found, lookUp)}
        </p>
      </div>
    </dialog>
  );
}

interface State {
  text: string;
  chosen?: string;
  /** What came of a command that has not closed the palette. */
  note?: string;
}

const isRouteOf =
  (router: ReturnType<typeof useRouter>) =>
  (path: string): boolean =>
    (router.getMatchedRoutes(path)[2]?.path ?? '$') !== '$';

/** Results that arrive later appear below: no line moves while somebody reads or aims at it. */
function useOrderOfArrival(groups: readonly Group[], text: string): Group[] {
  const arrived = useRef({ text, keys: [] as string[] });
  if (arrived.current.text !== text) arrived.current = { text, keys: [] };
  const { keys } = arrived.current;
  for (const group of groups) if (!keys.includes(keyOf(group))) keys.push(keyOf(group));
  return groups.toSorted((one, other) => keys.indexOf(keyOf(one)) - keys.indexOf(keyOf(other)));
}

const keyOf = ({ kind, name }: Group): string => `${kind} ${name}`;

/**
 * Enter runs the current command. If results are still to come, it waits for them.
 * @returns `press` for the key, and `forget` for a change of the text
 */
function useEnter(palette: {
  text: string;
  chosen: string | undefined;
  isPending: boolean;
  searchNow: () => void;
  groups: readonly Group[];
  current: Command | undefined;
  choose: (command: Command | undefined) => void;
}) {
  const { text, chosen, isPending, searchNow, groups, current, choose } = palette;
  /** The current command when Enter was pressed before the results arrived; empty if there was none. */
  const entered = useRef<string>(undefined);
  const press = (): void => {
    const kind = kindOf(current, groups);
    // The first response may lack the record that the operator means.
    const isEarly = current === undefined || kind === 'searches' || (entered.current !== undefined && kind === 'found');
    if (chosen === undefined && isPending && isEarly) {
      entered.current = current?.id ?? '';
      searchNow();
      return;
    }
    const before = entered.current;
    entered.current = undefined;
    // The operator has not seen these results: run only an unambiguous match.
    const results = groups.filter(({ kind }) => kind === 'found');
    const count = results.flatMap(({ commands }) => commands).length;
    const isSure = count === 1 || (count > 1 ? results[0]?.fit === 0 : current?.id === before);
    if (before === undefined || isSure) choose(current);
  };
  useEffect(() => {
    if (entered.current !== undefined && text !== '') press();
  });
  return {
    press,
    forget: () => {
      entered.current = undefined;
    },
  };
}

const kindOf = (command: Command | undefined, groups: readonly Group[]): Group['kind'] =>
  groups.find(({ commands }) => commands.some((one) => one === command))?.kind;

function Named({ name, children }: { name: string | undefined; children: ReactNode }) {
  if (name === undefined) return children;
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a group of form fields
    <div role="group" aria-label={name}>
      <Text size="xs" c="dimmed" fw={600} px={10} pt={8} pb={4} aria-hidden>
        {name}
      </Text>
      {children}
    </div>
  );
}
