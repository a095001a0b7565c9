import type { CSSProperties, ElementType, ReactNode } from 'react';
import { type ElementProps, classes as join, type PolymorphicProps, styled } from './style-props.ts';
import classes from './text.module.css';

type TextSize = 'xs' | 'sm' | 'md';
const SIZES: Record<TextSize, string | undefined> = { xs: classes.xs, sm: classes.sm, md: undefined };

interface TextOwn {
  size?: TextSize;
  /** As a `span` instead of a paragraph. */
  span?: boolean;
  /** Size and weight of what is around it. */
  inherit?: boolean;
  /** Shown in so many lines at most. */
  lineClamp?: number;
}

export function Text<Tag extends ElementType = 'p'>(props: PolymorphicProps<Tag, TextOwn>) {
  const { component, size = 'md', span, inherit, lineClamp, ...rest } = props as PolymorphicProps<'p', TextOwn>;
  const Element: ElementType = component ?? (span ? 'span' : 'p');
  const clamped = lineClamp === undefined ? undefined : { WebkitLineClamp: lineClamp };
  const own = join(classes.text, SIZES[size], inherit && classes.inherit, clamped && classes.clamped);
  return <Element {...styled(rest, own, clamped)} />;
}

interface TitleOwn {
  order?: 1 | 2 | 3;
  /** Looks like the heading of this order. */
  size?: 'h1' | 'h2' | 'h3' | 'h4' | 'h5';
}

export function Title({ order = 1, size = `h${order}`, ...rest }: ElementProps<'h1', TitleOwn>) {
  const Element = `h${order}` as const;
  // As variables, so that a class of the element may say otherwise.
  const style = { '--size': `var(--mantine-${size}-font-size)`, '--line': `var(--mantine-${size}-line-height)` };
  return <Element {...styled(rest, join(classes.title), style as CSSProperties)} />;
}

export interface AnchorStyle {
  className?: string | undefined;
  size?: TextSize;
  inherit?: boolean;
  underline?: 'always';
}
interface AnchorOwn extends AnchorStyle {
  /** Draws the link with these props. */
  renderRoot?: (props: { className: string; children?: ReactNode }) => ReactNode;
}

export function Anchor<Tag extends ElementType = 'a'>(props: PolymorphicProps<Tag, AnchorOwn>) {
  const { component, size = 'md', inherit, underline, renderRoot, ...rest } = props as PolymorphicProps<'a', AnchorOwn>;
  const Element: ElementType = component ?? 'a';
  const own = join(
    classes.text,
    SIZES[size],
    inherit && classes.inherit,
    classes.anchor,
    underline === 'always' && classes.underlined,
  );
  const root = styled(rest, own);
  return renderRoot === undefined ? <Element {...root} /> : renderRoot(root);
}

/** @param block as a block of lines */
export function Code({ block = false, ...rest }: ElementProps<'code', { block?: boolean }>) {
  const Element: ElementType = block ? 'pre' : 'code';
  return <Element {...styled(rest, join(classes.code, block && classes.block))} />;
}

export const Kbd = (props: ElementProps<'kbd'>) => <kbd {...styled(props, join(classes.kbd))} />;

/** For screen readers only. */
export function VisuallyHidden<Tag extends ElementType = 'span'>(props: PolymorphicProps<Tag>) {
  const { component, ...rest } = props as PolymorphicProps<'span'>;
  const Element: ElementType = component ?? 'span';
  return <Element {...styled(rest, join(classes.hidden))} data-unprinted />;
}
