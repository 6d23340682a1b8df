"""The filter of a list as a condition of a query."""

from sqlalchemy import ColumnElement, and_, false, not_, or_, true

from chautari.app.filters import ATTRIBUTES, Every, Filter, Is, Not
from chautari.store.tables import match


def condition(wanted: Filter) -> ColumnElement[bool]:
    """What `app.filters.holds` says, of the table of matches."""
    if isinstance(wanted, Not):
        return not_(condition(wanted.part))
    if isinstance(wanted, Is):
        return match.c[ATTRIBUTES[wanted.field]].op(wanted.sign, is_comparison=True)(wanted.value)
    parts = [condition(part) for part in wanted.parts]
    return and_(true(), *parts) if isinstance(wanted, Every) else or_(false(), *parts)
