import type { CSSProperties, ElementType, ReactNode } from 'react';
import { IconX } from '../icons.ts';
import classes from './button.module.css';
import { type ElementProps, classes as join, type PolymorphicProps, styled } from './style-props.ts';

type Variant = 'filled' | 'default' | 'subtle' | 'light';
/** Draws the element with these props: a link that looks like a button. */
type RenderRoot = (props: { className: string; children?: ReactNode }) => ReactNode;

interface ButtonOwn {
  /** Filled is for the one main action. */
  variant?: Variant;
  size?: 'sm' | 'xs' | 'compact-sm' | 'compact-xs';
  /** What it does cannot be undone. */
  color?: 'red.9';
  leftSection?: ReactNode;
  rightSection?: ReactNode;
  /** Shows that its action is under way, and takes no click. */
  loading?: boolean;
  renderRoot?: RenderRoot;
}
export type ButtonProps = ElementProps<'button', ButtonOwn>;

export function Button<Tag extends ElementType = 'button'>(props: PolymorphicProps<Tag, ButtonOwn>) {
  const {
    component,
    variant = 'filled',
    size = 'sm',
    color,
    leftSection,
    rightSection,
    loading = false,
    renderRoot,
    disabled,
    children,
    ...rest
  } = props as PolymorphicProps<'button', ButtonOwn>;
  const own = join(
    classes.plain,
    classes.button,
    size === 'sm' ? undefined : classes[size],
    classes[variant],
    color && classes.grave,
  );
  const root = {
    ...styled(rest, own),
    'data-before': leftSection ? true : undefined,
    'data-after': rightSection ? true : undefined,
    'data-loading': loading || undefined,
    'data-unprinted': true,
    children: (
      <>
        {loading && <Busy />}
        {leftSection && <span className={classes.section}>{leftSection}</span>}
        <span className={classes.label}>{children}</span>
        {rightSection && <span className={classes.section}>{rightSection}</span>}
      </>
    ),
  };
  if (renderRoot !== undefined) return renderRoot(root);
  if (component === undefined) return <button type="button" {...root} disabled={disabled === true || loading} />;
  const Element: ElementType = component;
  return <Element {...root} />;
}

interface ActionIconOwn {
  variant?: 'default' | 'subtle' | 'filled';
  color?: 'gray';
  /** Pixels. */
  size?: number | 'sm' | 'lg';
  loading?: boolean;
  renderRoot?: RenderRoot;
}
const ICON_SIZES = { sm: 22, lg: 34 };

/** A button that is only an icon, and has its name in `aria-label`. */
export function ActionIcon(props: ElementProps<'button', ActionIconOwn>) {
  const { variant = 'filled', color, size = 28, loading = false, renderRoot, disabled, children, ...rest } = props;
  const pixels = typeof size === 'number' ? size : ICON_SIZES[size];
  const style = { '--action-size': `${pixels / 16}rem` } as CSSProperties;
  const root = {
    ...styled(rest, join(classes.plain, classes.action, classes[variant], color && classes.gray), style),
    'data-loading': loading || undefined,
    'data-unprinted': true,
    children: (
      <>
        {loading && <Busy />}
        <span className={classes.section}>{children}</span>
      </>
    ),
  };
  return renderRoot === undefined ? (
    <button type="button" {...root} disabled={disabled === true || loading} />
  ) : (
    renderRoot(root)
  );
}

export const CloseButton = ({ size = 'md', ...rest }: ElementProps<'button', { size?: 'sm' | 'md' }>) => (
  <button
    type="button"
    {...styled(
      rest,
      join(classes.plain, classes.action, classes.close),
      size === 'sm' ? ({ '--action-size': '1.375rem' } as CSSProperties) : undefined,
    )}
  >
    <IconX size={size === 'sm' ? 15 : 18} />
  </button>
);

/** A button without any look of its own. */
export const UnstyledButton = (props: ElementProps<'button'>) => (
  <button type="button" {...styled(props, join(classes.plain))} />
);

/** Buttons that are one choice. */
export const ButtonGroup = (props: ElementProps<'div'>) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would be drawn as one
  <div role="group" {...styled(props, join(classes.joined))} />
);

export function Loader({ size = 22, ...rest }: ElementProps<'span', { size?: number }>) {
  return <span {...styled(rest, join(classes.loader), { '--loader-size': `${size / 16}rem` } as CSSProperties)} />;
}

const Busy = () => (
  <span className={classes.busy} aria-hidden="true">
    <span className={classes.loader} />
  </span>
);
