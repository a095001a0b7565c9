import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Loader } from '../../ui/elements/button.tsx';
import { useSingleFlight } from '../../ui/hooks/use-single-flight.ts';
import { IconSearch } from '../../ui/icons.ts';
import classes from './palette.module.css';
import { type Command, useCommands } from './palette-commands.tsx';
import type { TypedAhead } from './type-ahead.ts';

/**
 * Finds pages, actions and people by a word, an e-mail address or an id. It has no transition, so that it can be
 * reopened immediately.
 * @param typedAhead returns what was typed while this was loading
 */
export function Palette({ typedAhead, onClose }: { typedAhead: () => TypedAhead; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();
  const [{ text, active }, setState] = useState({ text: '', active: 0 });
  const commands = useCommands(text);
  const { run, pending } = useSingleFlight();
  const current = commands[active];

  const choose = (command: Command | undefined): void => {
    if (command === undefined) return;
    void run(async () => {
      const working = command.run();
      if (working === undefined) onClose();
      else await working.finally(onClose);
    });
  };
  const entered = useRef(false);
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const typed = typedAhead();
    setState({ text: typed.text, active: 0 });
    entered.current = typed.entered;
  }, [typedAhead]);
  useEffect(() => {
    if (!entered.current || text === '') return;
    entered.current = false;
    choose(current);
  });
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && commands.length > 0)
      setState({ text, active: (active + step + commands.length) % commands.length });
    else if (event.key === 'Enter') choose(current);
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
          {pending ? <Loader size={18} aria-hidden /> : <IconSearch size={18} />}
          <input
            role="combobox"
            aria-label="Page or action"
            placeholder="Page or action, e-mail or id…"
            aria-expanded
            aria-autocomplete="list"
            aria-controls={list}
            aria-activedescendant={current && `${list} ${active}`.replaceAll(' ', '-')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            readOnly={pending}
            value={text}
            onChange={(event) => setState({ text: event.currentTarget.value, active: 0 })}
          />
        </label>
        <div id={list} role="listbox" aria-label="Suggestions" className={classes.commands} tabIndex={-1}>
          {commands.map((command, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <div
              key={command.id}
              id={`${list} ${index}`.replaceAll(' ', '-')}
              role="option"
              aria-selected={index === active}
              tabIndex={-1}
              className={classes.command}
              onMouseMove={() => index !== active && setState({ text, active: index })}
              onClick={() => choose(command)}
            >
              {command.icon}
              <span>
                <bdi>{command.label}</bdi>
                {command.about !== undefined && <small>{command.about}</small>}
              </span>
            </div>
          ))}
        </div>
        {commands.length === 0 && <p className={classes.none}>No results</p>}
      </div>
    </dialog>
  );
}
