import { visibleText } from '../lib/visible-text.ts';
import { withBreaks } from '../lib/with-breaks.tsx';
import classes from './person.module.css';

/**
 * A person by name, with the identifier below; by one of them alone, or by id, if that is all that is known. Has no
 * hooks and few elements: lists call it as a function, once a row.
 * @param props.oneLine name and identifier on one line
 */
export function Person(props: {
  name: string | undefined;
  identifier: string | undefined;
  id: string;
  oneLine?: boolean;
}) {
  const { id, oneLine } = props;
  const [first, second] = [props.name, props.identifier]
    .filter((text) => text !== undefined && text !== '')
    .map((text) => visibleText(text as string));
  const below = second === first ? undefined : second;
  return (
    <span
      className={classes.person}
      data-initials={initialsOf(props.name || props.identifier)}
      data-one-line={oneLine || undefined}
      title={below === undefined ? (first ?? id) : `${first}, ${below}`}
    >
      <bdi className={first === undefined ? classes.id : classes.name}>{withBreaks(first ?? id)}</bdi>
      {below !== undefined && (
        <>
          {' '}
          <bdi className={classes.identifier}>{withBreaks(below)}</bdi>
        </>
      )}
    </span>
  );
}

/** The class of a link around a person. */
export const personLink: string | undefined = classes.link;

/** `AL` for Ada Lovelace, `A` for ada@example.org. */
function initialsOf(text = ''): string {
  const words = text.replace(/@.*/s, '').split(/\s+/);
  const letters = words.flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? []);
  return `${letters[0] ?? ''}${letters.length > 1 ? letters.at(-1) : ''}`.toUpperCase();
}
