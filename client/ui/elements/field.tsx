import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { IconSelector } from '../icons.ts';
import classes from './field.module.css';
import { type ElementProps, classes as join, type StyleProps, styled } from './style-props.ts';

interface FieldOwn {
  label?: ReactNode;
  description?: ReactNode;
  /** The description stands below what is typed, not above it. */
  descriptionBelow?: boolean;
  error?: ReactNode;
}
type Frame = FieldOwn & StyleProps & { id?: string | undefined; required?: boolean; className?: string | undefined };

/** What label, description and error are to an input. */
export interface Described {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/**
 * Label, description and error around an input.
 * @param children draws the input, given its id and what describes it
 */
function Field(props: Frame & { describedBy?: string | undefined; children: (described: Described) => ReactNode }) {
  const own = useId();
  const { label, description, descriptionBelow, error, id = own, required, describedBy, children, ...rest } = props;
  const told = description && (
    <p className={classes.description} id={`${id}-description`}>
      {description}
    </p>
  );
  const by = [describedBy, error && `${id}-error`, told && `${id}-description`].filter(Boolean).join(' ');
  return (
    <div {...styled(rest, join(classes.field))}>
      {label && (
        <label className={classes.label} htmlFor={id}>
          {label}
          {required && (
            <span className={classes.required} aria-hidden="true">
              {' *'}
            </span>
          )}
        </label>
      )}
      {!descriptionBelow && told}
      <div className={classes.box}>
        {children({ id, 'aria-describedby': by || undefined, 'aria-invalid': error ? true : undefined })}
      </div>
      {descriptionBelow && told}
      {error && error !== true && (
        <p className={classes.error} id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

const STYLE_PROPS = ['m', 'mt', 'mb', 'ml', 'me', 'flex', 'w', 'maw', 'miw', 'display'] as const;

/** The props of the frame, and those of the input within. */
function parted<P extends Frame & { 'aria-describedby'?: string | undefined }>(props: P) {
  const { label, description, descriptionBelow, error, id, required, className, ...input } = props;
  const frame: Record<string, unknown> = { label, description, descriptionBelow, error, id, required, className };
  const rest = input as Record<string, unknown>;
  frame['describedBy'] = rest['aria-describedby'];
  for (const name of STYLE_PROPS) {
    if (rest[name] !== undefined) frame[name] = rest[name];
    delete rest[name];
  }
  return [frame as Frame & { describedBy?: string }, { ...rest, required }] as const;
}

type TextInputOwn = FieldOwn & {
  size?: 'xs' | 'sm';
  variant?: 'default' | 'filled';
  leftSection?: ReactNode;
  rightSection?: ReactNode;
};
export type TextInputProps = ElementProps<'input', TextInputOwn>;

/**
 * A line of text. An input drops the line breaks of a value that has some: it gets a text area, and keeps it, so that
 * nothing changes under the typing.
 */
export function TextInput(props: TextInputProps) {
  const [hasBreaks, setHasBreaks] = useState(false);
  if (!hasBreaks && props.type === undefined && BREAK.test(String(props.value ?? ''))) setHasBreaks(true);
  if (!hasBreaks) return <LineInput {...props} />;
  const { size: _size, variant: _variant, leftSection: _left, list: _list, ...area } = props;
  return <Textarea {...(area as TextareaProps)} autosize maxRows={LINES_MAX} />;
}

const BREAK = /[\r\n]/;
const LINES_MAX = 10;

function LineInput({ size = 'sm', variant, leftSection, rightSection, ...props }: TextInputProps) {
  const [frame, input] = parted(props);
  const own = join(
    classes.input,
    size === 'xs' && classes.xs,
    variant === 'filled' && classes.fixed,
    Boolean(leftSection) && classes.before,
    Boolean(rightSection) && classes.after,
  );
  return (
    <Field {...frame}>
      {(described) => (
        <>
          {leftSection && <span className={join(classes.section, classes.first)}>{leftSection}</span>}
          <input {...input} {...described} className={own} />
          {rightSection && <span className={classes.section}>{rightSection}</span>}
        </>
      )}
    </Field>
  );
}

interface Choice {
  value: string;
  label: string;
  disabled?: boolean;
}
type Choices = readonly (Choice | string | { group: string; items: readonly (Choice | string)[] })[];

/** A text stands for itself. */
const choiceOf = (choice: Choice | string): Choice =>
  typeof choice === 'string' ? { value: choice, label: choice } : choice;

const Option = ({ value, label, disabled = false }: Choice) => (
  <option value={value} disabled={disabled}>
    {label}
  </option>
);

export function NativeSelect({
  size = 'sm',
  data,
  ...props
}: ElementProps<'select', FieldOwn & { size?: 'xs' | 'sm'; data: Choices }>) {
  const [frame, input] = parted(props);
  return (
    <Field {...frame}>
      {(described) => (
        <>
          <select
            {...input}
            {...described}
            className={join(classes.input, classes.select, size === 'xs' && classes.xs)}
          >
            {data.map((choice) =>
              typeof choice === 'object' && 'group' in choice ? (
                <optgroup key={choice.group} label={choice.group}>
                  {choice.items.map(choiceOf).map((item) => (
                    <Option key={item.value} {...item} />
                  ))}
                </optgroup>
              ) : (
                <Option key={choiceOf(choice).value} {...choiceOf(choice)} />
              ),
            )}
          </select>
          <span className={classes.section} style={{ pointerEvents: 'none' }}>
            <IconSelector size={20} />
          </span>
        </>
      )}
    </Field>
  );
}

type TextareaOwn = FieldOwn & {
  /** Grows with its lines, from `rows` to `maxRows`. */
  autosize?: boolean;
  maxRows?: number;
  /** Of the input itself. */
  inputClassName?: string | undefined;
  rightSection?: ReactNode;
};
export type TextareaProps = ElementProps<'textarea', TextareaOwn>;

export function Textarea(props: TextareaProps) {
  const { autosize = false, maxRows, inputClassName, rightSection, ...others } = props;
  const [frame, input] = parted(others);
  const area = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const drawn = area.current;
    if (!autosize || drawn === null) return;
    drawn.style.height = 'auto';
    const line = Number.parseFloat(getComputedStyle(drawn).lineHeight) || 20;
    const most =
      maxRows === undefined ? Number.POSITIVE_INFINITY : maxRows * line + drawn.offsetHeight - drawn.clientHeight;
    drawn.style.height = `${Math.min(drawn.scrollHeight + 2, most)}px`;
  }, [autosize, maxRows, input['value' as never]]);
  const own = join(classes.input, classes.lines, rightSection ? classes.after : undefined, inputClassName);
  return (
    <Field {...frame}>
      {(described) => (
        <>
          <textarea {...input} {...described} ref={area} className={own} />
          {rightSection && <span className={classes.section}>{rightSection}</span>}
        </>
      )}
    </Field>
  );
}

/** A box to tick, a switch or one of several choices, with its label beside it. */
export function Checkbox({
  label,
  description,
  type = 'checkbox',
  ...props
}: ElementProps<'input', { label: ReactNode; description?: ReactNode; type?: 'checkbox' | 'radio' }>) {
  const own = useId();
  const { id = own, className, ...input } = props;
  const described = description ? `${id}-description` : undefined;
  return (
    <div className={join(classes.choice, className)}>
      <input {...(input as object)} type={type} id={id} aria-describedby={described} />
      <div>
        <label htmlFor={id}>{label}</label>
        {description && (
          <p className={classes.description} id={described}>
            {description}
          </p>
        )}
      </div>
    </div>
  );
}
