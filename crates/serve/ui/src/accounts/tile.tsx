/** A figure with its name. */
interface TileProps {
  name: string;
  title?: string | undefined;
  children: React.ReactNode;
}

export function Tile({ name, title, children }: TileProps) {
  return (
    <div className="tile" title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
