import { Loader, Text } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { IconSearch } from '../../ui/shell-icons.tsx';
import { useCommands } from './commands.tsx';
import { type Command, type Found, formatFound, type Group, useFound } from './found.tsx';
import classes from './palette.module.css';

/**
 * Finds pages and actions by words in their names, identities and clients by any part of their texts, and settings by
 * any part of the key. Has no transition, so that it can reopen immediately.
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  // The id of the chosen command, since results may appear above it; by default the first command.
  const [{ text, chosen }, setState] = useState<{ text: string; chosen?: string }>({ text: '' });
  const found = useFound(text);
  const groups = useCommands(text, found);
  const commands = groups.flatMap(({ commands }) => commands);
  const current = commands.find(({ id }) => id === chosen) ?? commands[0];
  const idOf = (command: Command): string => `${list}-${commands.indexOf(command)}`;
  const { run, pending } = useSingleFlight();

  const choose = (command: Command | undefined): void => {
    if (command === undefined) return;
    void run(async () => {
      const working = command.run();
      if (working === undefined) onClose();
      else await working.finally(onClose);
    });
  };
  const enter = useEnter({ text, chosen, found, groups, current, choose });
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // `close` returns focus.
    return () => current?.close();
  }, []);
  // Not after every response: the operator may have scrolled the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll only when the selected command changes
  useEffect(() => {
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
          {pending || found.pending ? <Loader size={18} aria-hidden /> : <IconSearch size={18} />}
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
            <Named key={`${group.kind} ${group.name}`} name={group.name}>
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
                    <bdi>{command.label}</bdi>
                    {command.about !== undefined && (
                      <small>
                        <bdi>{command.about}</bdi>
                      </small>
                    )}
                  </span>
                </div>
              ))}
            </Named>
          ))}
        </div>
        {commands.length === 0 && (
          <Text size="sm" c="dimmed" ta="center" p="lg">
            No results
          </Text>
        )}
        <p role="status" className={classes.status}>
          {formatFound(found)}
        </p>
      </div>
    </dialog>
  );
}

/**
 * Enter runs the current command. If results are still to come, it waits for them.
 * @returns `press` for the key, and `forget` for a change of the text
 */
function useEnter(palette: {
  text: string;
  chosen: string | undefined;
  found: Found;
  groups: readonly Group[];
  current: Command | undefined;
  choose: (command: Command | undefined) => void;
}) {
  const { text, chosen, found, groups, current, choose } = palette;
  /** Whether Enter was pressed before the results arrived. */
  const entered = useRef(false);
  const press = (): void => {
    const kind = kindOf(current, groups);
    // The first response may lack the record that the operator means.
    const isEarly = kind === 'searches' || (entered.current && kind === 'found');
    if (chosen === undefined && found.pending && isEarly) {
      entered.current = true;
      found.searchNow();
      return;
    }
    const isBlind = entered.current;
    entered.current = false;
    // The operator has not seen these results: run only an unambiguous match.
    const results = groups.filter(({ kind }) => kind === 'found');
    if (isBlind && results.flatMap(({ commands }) => commands).length > 1 && results[0]?.fit !== 0) return;
    choose(current);
  };
  useEffect(() => {
    if (entered.current && text !== '') press();
  });
  return {
    press,
    forget: () => {
      entered.current = false;
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
